const dayMs = 24 * 60 * 60 * 1000;
const weekMs = 7 * dayMs;

/** Monday of the week that holds the first Thursday of that month; months may run over the year's ends. */
const startOfFirstWeek = (year: number, month: number): number => {
  const first = Date.UTC(year, month);
  const weekday = new Date(first).getUTCDay() || 7;
  return weekday > 4 ? first + (8 - weekday) * dayMs : first - (weekday - 1) * dayMs;
};

/** The number of the week that a day lies in, counted from the start of this, the next or the previous period. */
const weekWithin = (day: number, start: number, next: () => number, previous: () => number, full: number): number => {
  const week = (day - start) / weekMs + 1;
  if (week > full && day >= next()) return 1;
  return Math.floor(week < 1 ? (day - previous()) / weekMs + 1 : week);
};

const startOfDay = (date: Date): number => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());

const weekOfYear = (date: Date): number => {
  const year = date.getUTCFullYear();
  return weekWithin(
    startOfDay(date),
    startOfFirstWeek(year, 0),
    () => startOfFirstWeek(year + 1, 0),
    () => startOfFirstWeek(year - 1, 0),
    52,
  );
};

const weekOfMonth = (date: Date): number => {
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return weekWithin(
    startOfDay(date),
    startOfFirstWeek(year, month),
    () => startOfFirstWeek(year, month + 1),
    () => startOfFirstWeek(year, month - 1),
    4,
  );
};

const weekYear = (date: Date): number => {
  const year = date.getUTCFullYear();
  if (date.getTime() < startOfFirstWeek(year, 0)) return year - 1;
  return date.getTime() >= startOfFirstWeek(year + 1, 0) ? year + 1 : year;
};

const weekMonth = (date: Date): number => {
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  if (date.getTime() < startOfFirstWeek(year, month)) return ((month + 11) % 12) + 1;
  return date.getTime() >= startOfFirstWeek(year, month + 1) ? ((month + 1) % 12) + 1 : month + 1;
};

/**
 * The numeric value of a component of an instant in UTC, by the letter pictures use: besides XPath's own X, the year
 * that week W belongs to, and x, the month that week w belongs to. Undefined for what has none.
 */
export const dateField = (date: Date, component: string): number | undefined => {
  switch (component) {
    case 'Y':
      return date.getUTCFullYear();
    case 'M':
      return date.getUTCMonth() + 1;
    case 'D':
      return date.getUTCDate();
    case 'd':
      return (startOfDay(date) - Date.UTC(date.getUTCFullYear(), 0)) / dayMs + 1;
    case 'F':
      return date.getUTCDay() || 7;
    case 'W':
      return weekOfYear(date);
    case 'w':
      return weekOfMonth(date);
    case 'X':
      return weekYear(date);
    case 'x':
      return weekMonth(date);
    case 'H':
      return date.getUTCHours();
    case 'h':
      return date.getUTCHours() % 12 || 12;
    case 'm':
      return date.getUTCMinutes();
    case 's':
      return date.getUTCSeconds();
    case 'f':
      return date.getUTCMilliseconds();
    default:
      return undefined;
  }
};
