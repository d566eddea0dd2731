import type { ITheme } from "@xterm/xterm";

/** The sixteen colours of a terminal on a light and on a dark ground. */
const LIGHT: ITheme = {
  black: "#24292f",
  red: "#b42335",
  green: "#1a7340",
  yellow: "#8a5a00",
  blue: "#2f56c8",
  magenta: "#8233a8",
  cyan: "#0c6c7d",
  white: "#59636e",
  brightBlack: "#59636e",
  brightRed: "#c83a48",
  brightGreen: "#1f8049",
  brightYellow: "#946100",
  brightBlue: "#3d67dd",
  brightMagenta: "#9444bb",
  brightCyan: "#0f7a8c",
  brightWhite: "#24292f",
};
const DARK: ITheme = {
  black: "#3a404b",
  red: "#f07f86",
  green: "#74cf97",
  yellow: "#e3bd6b",
  blue: "#84adff",
  magenta: "#cf9cec",
  cyan: "#6fd0de",
  white: "#cfd4dc",
  brightBlack: "#8b93a1",
  brightRed: "#ff9ba0",
  brightGreen: "#93e2b1",
  brightYellow: "#f2d48d",
  brightBlue: "#a5c4ff",
  brightMagenta: "#e0b9f6",
  brightCyan: "#93e2ed",
  brightWhite: "#f1f3f6",
};

/** The colours of a terminal in an element: its ground and text are those of the theme. */
export function terminalColours(element: HTMLElement): ITheme {
  const ground = resolve(element, "--surface");
  const dark = isDark(ground);
  return {
    ...(dark ? DARK : LIGHT),
    background: ground,
    foreground: resolve(element, "--text"),
    cursor: resolve(element, "--accent"),
    cursorAccent: ground,
    selectionBackground: dark ? "#84adff55" : "#2f56c833",
  };
}

/** A token as plain hexadecimal: a terminal reads no other notation. */
function resolve(element: HTMLElement, token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  element.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  const canvas = document.createElement("canvas");
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) {
    return "#808080";
  }
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function isDark(hexadecimal: string): boolean {
  return Number.parseInt(hexadecimal.slice(1, 3), 16) < 128;
}
