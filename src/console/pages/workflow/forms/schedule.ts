// Cron expressions as people choose them.

/** How often it comes round. */
export type Rhythm = "hour" | "day" | "weekday" | "week" | "month" | "own";

/** An expression in parts. What the rhythm does not ask for has a usual value. */
export interface Schedule {
  rhythm: Rhythm;
  /** `09:00`. */
  time: string;
  /** 0 is Sunday. */
  weekday: string;
  day: string;
  /** As it is written. */
  cron: string;
}

export const RHYTHMS = [
  { value: "hour", label: "Every hour" },
  { value: "day", label: "Every day" },
  { value: "weekday", label: "Monday to Friday" },
  { value: "week", label: "Every week" },
  { value: "month", label: "Every month" },
  { value: "own", label: "By a cron expression" },
];

export const WEEKDAYS = [
  { value: "1", label: "Monday" },
  { value: "2", label: "Tuesday" },
  { value: "3", label: "Wednesday" },
  { value: "4", label: "Thursday" },
  { value: "5", label: "Friday" },
  { value: "6", label: "Saturday" },
  { value: "0", label: "Sunday" },
];

const USUAL = { time: "09:00", weekday: "1", day: "1" };

/** The parts of an expression; one that is none of the usual ones is its own. */
export function rhythmOf(cron: string): Schedule {
  const own: Schedule = { rhythm: "own", ...USUAL, cron };
  // Chosen so: it stays an expression.
  if (/\s$/.test(cron)) return own;
  const [minute, hour, day, month, weekday, more] = cron.trim().split(/\s+/);
  const isNumber = (part: string | undefined) => part !== undefined && /^\d{1,2}$/.test(part);
  if (month !== "*" || more !== undefined || !isNumber(minute)) return own;
  if (hour === "*" && minute === "0" && day === "*" && weekday === "*") return { ...own, rhythm: "hour" };
  if (!isNumber(hour)) return own;
  const time = `${hour!.padStart(2, "0")}:${minute!.padStart(2, "0")}`;
  if (day === "*" && weekday === "*") return { ...own, rhythm: "day", time };
  if (day === "*" && weekday === "1-5") return { ...own, rhythm: "weekday", time };
  if (day === "*" && isNumber(weekday) && Number(weekday) <= 7)
    return { ...own, rhythm: "week", time, weekday: weekday === "7" ? "0" : weekday! };
  if (isNumber(day) && Number(day) >= 1 && Number(day) <= 28 && weekday === "*")
    return { ...own, rhythm: "month", time, day: String(Number(day)) };
  return own;
}

/** The expression of the parts. */
export function cronOf({ rhythm, time, weekday, day, cron }: Schedule): string {
  const [hour, minute] = time.split(":").map(Number);
  switch (rhythm) {
    case "hour":
      return "0 * * * *";
    case "day":
      return `${minute} ${hour} * * *`;
    case "weekday":
      return `${minute} ${hour} * * 1-5`;
    case "week":
      return `${minute} ${hour} * * ${weekday}`;
    case "month":
      return `${minute} ${hour} ${day} * *`;
    case "own":
      // One of the usual ones would be shown as that again. The service takes no notice of a space at the end.
      return rhythmOf(cron).rhythm === "own" ? cron : `${cron} `;
  }
}
