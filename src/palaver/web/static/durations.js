// Lengths of time in words, the same words as the server's `duration` filter.

export function inWords(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return counted(whole, "second");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return [hours && counted(hours, "hour"), minutes && counted(minutes, "minute")]
    .filter(Boolean)
    .join(" ");
}

export function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
