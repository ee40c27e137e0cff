import type { Jam } from '../../features/jams/jams/model.ts'

/** RFC 5545: a line has at most 75 bytes, and goes on after a line break and a space. */
const LINE_BYTES_MAX = 75

interface CalendarEvent {
  uid: string
  from: string
  until: string
  summary: string
}

/** The jam and its voting as events of a calendar. `revision` grows with each edit. */
export function writeCalendar(jam: Jam, revision: number, storeName: string): string {
  const host = new URL(jam.url).host
  const events: CalendarEvent[] = [
    { uid: `jam-${jam.uid}@${host}`, from: jam.starts_at, until: jam.ends_at, summary: jam.title },
  ]
  if (jam.voting_ends_at !== null) {
    events.push({
      uid: `voting-${jam.uid}@${host}`,
      from: jam.ends_at,
      until: jam.voting_ends_at,
      summary: `${jam.title}: voting`,
    })
  }
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//Playshelf//${escapeText(storeName)}//EN`,
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    ...events.flatMap(({ uid, from, until, summary }) => [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      `DTSTAMP:${writeTime(jam.updated_at)}`,
      `SEQUENCE:${revision}`,
      `DTSTART:${writeTime(from)}`,
      `DTEND:${writeTime(until)}`,
      `SUMMARY:${escapeText(summary)}`,
      ...(jam.tagline === '' ? [] : [`DESCRIPTION:${escapeText(jam.tagline)}`]),
      `URL:${jam.url}`,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return `${lines.map(foldLine).join('\r\n')}\r\n`
}

function writeTime(moment: string): string {
  return `${moment.slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\;,]/g, (mark) => `\\${mark}`).replaceAll(/\r\n?|\n/g, '\\n')
}

/** Characters are never split between lines. */
function foldLine(line: string): string {
  const folded: string[] = []
  let current = ''
  let room = LINE_BYTES_MAX
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (size > room) {
      folded.push(current)
      current = ''
      // The space that begins the next line counts.
      room = LINE_BYTES_MAX - 1
    }
    current += character
    room -= size
  }
  return [...folded, current].join('\r\n ')
}
