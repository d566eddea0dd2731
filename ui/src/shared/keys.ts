/** Whether an event comes from a place where letters are typed. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement &&
        !["checkbox", "radio", "button"].includes(target.type)))
  );
}

/** Whether a dialog lies over the window: then the keys of the window rest. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][data-modal], [role="alertdialog"]') !== null;
}

/** A combination of keys: `Ctrl+b`, `Shift+Tab`, `F6`. */
export function matchesKeys(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
  keys: string,
): boolean {
  const parts = keys.split("+");
  const key = parts.pop() ?? "";
  const wantsControl = parts.includes("Ctrl");
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    (event.ctrlKey || event.metaKey) === wantsControl &&
    event.altKey === parts.includes("Alt") &&
    event.shiftKey === parts.includes("Shift")
  );
}
