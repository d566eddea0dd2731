/** 200 KB in 800 lines, eight of which are 20 KB long. */
export function largeText(): string {
  const line = (n: number) =>
    n % 100 === 99 ? `${n} ${"wide ".repeat(4_096)}` : `${n} ${"x".repeat(50)}`;
  return Array.from({ length: 800 }, (_, n) => line(n)).join("\n");
}
