// Writing an instant as carriers do: local, in a zone or at an offset.

/** `2026-05-01 10:00:00` in an IANA zone; UTC when the zone is unknown. */
export function localTime(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone: knownZone(zone),
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  return parts.format(at);
}

/** The zone itself if the runtime knows it, else UTC. */
function knownZone(zone: string): string {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}

/** `{ date: '2026-05-01', time: '10:00:00' }` at an offset such as `+02:00`. */
export function timeAtOffset(at: Date, offset: string): { date: string; time: string } {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const shiftMinutes = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  const [date = '', rest = ''] = new Date(at.getTime() + shiftMinutes * 60_000).toISOString().split('T');
  return { date, time: rest.slice(0, 8) };
}
