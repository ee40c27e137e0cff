import type { Static, TObject, TProperties } from '@sinclair/typebox'
import { t } from 'elysia'

import type { ErrorName } from '../../error-table.ts'
import { findChanged, invalidFields } from '../../errors.ts'

type Answer = Readonly<Record<string, unknown>>

interface WritableOptions {
  /** Fields with a link that is signed anew for every answer; its query is not compared. */
  signedLinks?: readonly string[]
  /** See `takeOverBody`. */
  refusal?: ErrorName
}

/**
 * A field of an answer that a body may repeat. Marked, so that messages do not list it among the known
 * fields.
 */
export const ReadOnly = t.Optional(t.Unknown({ readOnly: true }))

/**
 * The body of a PUT or PATCH, which accepts an answer exactly as it was read. Fields that only the answer has
 * are read-only: `settle` removes those that are unchanged and refuses changed ones.
 */
export function writable<Input extends TProperties>(
  input: TObject<Input>,
  answer: TObject,
  { signedLinks = [], ...schema }: WritableOptions = {},
) {
  const readOnly = Object.keys(answer.properties).filter((name) => !Object.hasOwn(input.properties, name))
  const repeated = Object.fromEntries(readOnly.map((name) => [name, ReadOnly]))
  const body = t.Object({ ...input.properties, ...repeated }, { additionalProperties: false, ...schema })

  async function settle<Sent extends Static<TObject<Input>>>(
    sent: Sent,
    readAnswer: () => Promise<Answer | null>,
  ): Promise<Sent> {
    if (!readOnly.some((name) => name in sent)) return sent
    const present = (await readAnswer()) ?? {}
    const pick = (fields: Answer) =>
      Object.fromEntries(
        readOnly.map((name) => [name, signedLinks.includes(name) ? unsign(fields[name]) : fields[name]]),
      )
    const issues = findChanged(pick(sent), pick(present))
    if (issues.length > 0) throw invalidFields(issues)
    return Object.fromEntries(Object.entries(sent).filter(([name]) => !readOnly.includes(name))) as Sent
  }

  return { body: body as unknown as TObject<Input>, settle }
}

function unsign(link: unknown): unknown {
  return typeof link === 'string' ? link.split('?', 1)[0] : link
}
