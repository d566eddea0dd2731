import { useEffect, useState } from "react";

/** A duration in words: `840 ms`, `3.2 s`, `2 min 5 s`, `1 h 3 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) {
    return `${Math.max(0, Math.round(milliseconds))} ms`;
  }
  const seconds = milliseconds / 1000;
  if (seconds < 60) {
    return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  }
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A duration given in microseconds: `85 µs`, `1.2 ms`. */
export function formatMicroseconds(microseconds: number): string {
  if (microseconds < 1000) {
    return `${microseconds} µs`;
  }
  return microseconds < 1_000_000
    ? `${(microseconds / 1000).toFixed(1)} ms`
    : formatDuration(microseconds / 1000);
}

/** How long ago a moment was, in words: `now`, `5 min`, `3 h`, `2 d`, then the date. */
export function formatAgo(moment: number, now: number): string {
  const minutes = Math.floor((now - moment) / 60_000);
  if (minutes < 1) {
    return "now";
  }
  if (minutes < 60) {
    return `${minutes} min`;
  }
  if (minutes < 24 * 60) {
    return `${Math.floor(minutes / 60)} h`;
  }
  if (minutes < 14 * 24 * 60) {
    return `${Math.floor(minutes / (24 * 60))} d`;
  }
  return new Date(moment).toLocaleDateString();
}

/** A count with its noun: `1 line`, `2 lines`, `1,200 lines`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** The present moment, renewed every `period` milliseconds while `running`. */
export function useNow(running: boolean, period = 500): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) {
      return;
    }
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), period);
    return () => clearInterval(timer);
  }, [running, period]);
  return now;
}
