/** The formats that schemas name, each with its test and the words of a sentence that says what it must be. */

const COUNTRIES = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
    'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
    'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
    'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
    'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
    'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
);

/** A country of ISO 3166-1 alpha-2, in capitals. `UK`, `EU` and `ZZ` are none. */
export const isCountry = (text: string): boolean => COUNTRIES.has(text);

// Intl also knows abbreviations such as IST, which name no zone of the database, or several.
const SHORT_ZONES = new Set(
  (
    'UTC GMT GMT0 GMT+0 GMT-0 UCT Zulu Universal Greenwich EST MST HST EST5EDT CST6CDT MST7MDT PST8PDT WET CET MET EET ' +
    'Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC ' +
    'Poland Portugal ROC ROK Singapore Turkey W-SU'
  ).split(' '),
);

// Names already asked of Intl, which takes tens of microseconds for each. Bounded, for the texts come from outside.
const knownZones = new Map<string, boolean>();
const KNOWN_ZONES_MAX = 2_000;

/** A name of the IANA time zone database. Offsets such as `+05:30` are none. */
export const isTimeZone = (text: string): boolean => {
  const known = knownZones.get(text);
  if (known !== undefined) return known;
  if (text.length > 64 || !/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(text)) return false;
  if (!text.includes('/') && !SHORT_ZONES.has(text)) return false;
  let valid = true;
  try {
    // Asked this way because Intl.supportedValuesOf('timeZone') lacks names in daily use, Asia/Kolkata among them.
    Intl.DateTimeFormat('en', { timeZone: text });
  } catch {
    valid = false;
  }
  if (knownZones.size < KNOWN_ZONES_MAX) knownZones.set(text, valid);
  return valid;
};

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

/** `YYYY-MM-DD`, and a day that the calendar has. */
export const isDate = (text: string): boolean => {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
};

/** `YYYY-MM-DD HH:MM:SS`, a local time without a zone. */
export const isLocalDateTime = (text: string): boolean => {
  const match = DATE_TIME.exec(text);
  if (match === null) return false;
  return isDate(String(match[1])) && Number(match[2]) < 24 && Number(match[3]) < 60 && Number(match[4]) < 60;
};

const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

export interface TextFormat {
  readonly test: (text: string) => boolean;
  /** Ends the sentence "<field> must be …". */
  readonly says: string;
}

/** By the name a schema gives in `format`. */
export const FORMATS: Readonly<Record<string, TextFormat>> = {
  date: { test: isDate, says: 'a date written YYYY-MM-DD' },
  'local-date-time': { test: isLocalDateTime, says: 'a date and time written YYYY-MM-DD HH:MM:SS' },
  'time-zone': { test: isTimeZone, says: 'the name of an IANA time zone, such as Asia/Kolkata' },
  country: { test: isCountry, says: 'a country code of ISO 3166-1 alpha-2, such as DE' },
  'http-url': { test: isHttpUrl, says: 'a URL that begins with http:// or https://' },
};
