import { describe, expect, it } from "vitest";
import { ConsentGuard, type Gesture, SETTLING } from "./guard.ts";

function gesture(at: number, part: Partial<Gesture> = {}): Gesture {
  return {
    at,
    place: { x: 10, y: 10 },
    isTrusted: true,
    isRepeat: false,
    isVirtual: false,
    ...part,
  };
}

const READY = 1000 + SETTLING;

function shown(): ConsentGuard {
  const guard = new ConsentGuard();
  guard.painted(1000);
  return guard;
}

describe("ConsentGuard", () => {
  it("takes a press that began after the request was painted and settled", () => {
    const guard = shown();
    expect(guard.begin("allow", gesture(READY))).toBeNull();
    expect(guard.complete("allow", gesture(READY + 80))).toBeNull();
  });

  it("refuses before anything was painted", () => {
    const guard = new ConsentGuard();
    expect(guard.begin("allow", gesture(99_999))).toBe("too-early");
  });

  it("refuses a press that began before, even if it ends after", () => {
    const guard = shown();
    expect(guard.begin("allow", gesture(READY - 1))).toBe("too-early");
    expect(guard.complete("allow", gesture(READY + 50))).toBe("not-begun");
  });

  it("refuses the second click of a double click on the next request", () => {
    const guard = shown();
    guard.begin("allow", gesture(5000));
    expect(guard.complete("allow", gesture(5050))).toBeNull();
    guard.reset();
    guard.painted(5100);
    expect(guard.begin("allow", gesture(5150))).toBe("too-early");
  });

  it("refuses a key that repeats", () => {
    expect(shown().begin("allow", gesture(READY + 1, { isRepeat: true }))).toBe("held");
  });

  it("refuses the click that raises the window, and takes the one after it", () => {
    const guard = shown();
    guard.windowBlurred();
    expect(guard.begin("allow", gesture(5000))).toBe("window");
    guard.windowFocused(5001);
    expect(guard.complete("allow", gesture(5060))).toBe("not-begun");
    expect(guard.begin("allow", gesture(5100))).toBe("window");
    expect(guard.begin("allow", gesture(5600))).toBeNull();
    expect(guard.complete("allow", gesture(5700))).toBeNull();
  });

  it("refuses the raising click where the window is focused before the pointer event", () => {
    const guard = shown();
    guard.windowFocused(5000);
    expect(guard.begin("allow", gesture(5002))).toBe("window");
  });

  it("cancels a press when the window is focused in the middle of it", () => {
    const guard = shown();
    guard.begin("allow", gesture(5000));
    guard.windowFocused(5010);
    expect(guard.complete("allow", gesture(5060))).toBe("not-begun");
  });

  it("cancels a press when the button moves under it, or another is in its place", () => {
    const guard = shown();
    guard.begin("allow", gesture(5000));
    expect(guard.complete("allow", gesture(5050, { place: { x: 10, y: 40 } }))).toBe("moved");
    guard.begin("deny", gesture(6000));
    expect(guard.complete("allow", gesture(6050))).toBe("moved");
  });

  it("cancels a press when the list of requests shifts during it", () => {
    const guard = shown();
    guard.begin("allow", gesture(5000));
    guard.moved(5020);
    expect(guard.complete("allow", gesture(5050))).toBe("not-begun");
    expect(guard.begin("allow", gesture(5100))).toBe("too-early");
    expect(guard.begin("allow", gesture(5020 + SETTLING))).toBeNull();
  });

  it("refuses clicks made by script, and takes those of assistive software when settled", () => {
    const guard = shown();
    expect(guard.complete("allow", gesture(5000, { isTrusted: false, isVirtual: true }))).toBe(
      "script",
    );
    expect(guard.complete("allow", gesture(1001, { isVirtual: true }))).toBe("too-early");
    expect(guard.complete("allow", gesture(5000, { isVirtual: true }))).toBeNull();
  });

  it("refuses the click of a space bar that went down too early, though it looks like one without a press", () => {
    const guard = shown();
    expect(guard.begin("allow", gesture(READY - 1))).toBe("too-early");
    expect(guard.complete("allow", gesture(READY + 50, { isVirtual: true }))).toBe("not-begun");
    guard.begin("allow", gesture(5000));
    guard.moved(5010);
    expect(guard.complete("allow", gesture(5900, { isVirtual: true }))).toBe("not-begun");
  });

  it("takes each press once", () => {
    const guard = shown();
    guard.begin("allow", gesture(5000));
    expect(guard.complete("allow", gesture(5050))).toBeNull();
    expect(guard.complete("allow", gesture(5060))).toBe("not-begun");
  });
});
