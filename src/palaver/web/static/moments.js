// Times in the reader's zone and language.

const near = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const far = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

export function showMoment(time, whole = false) {
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const today = moment.toDateString() === new Date().toDateString();
  const text = (today && !whole ? near : far).format(moment);
  if (time.textContent !== text) time.textContent = text;
  time.title = full.format(moment);
}
