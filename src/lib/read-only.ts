import { type Issue, issueAt } from '../errors.ts'

type Fields = Readonly<Record<string, unknown>>

/** Sent fields that differ from what is there now. Fields that were not sent are not looked at. */
export function findChanged(sent: Fields, present: Fields, path = ''): Issue[] {
  return Object.keys(present).flatMap((name) => {
    if (sent[name] === undefined || Bun.deepEquals(sent[name], present[name])) return []
    const fault = 'is read-only; leave it out, or send it as it is now.'
    return [issueAt(path === '' ? name : `${path}.${name}`, fault)]
  })
}
