import { t } from 'elysia'

import { DAILY_CAP_DEFAULT, DAILY_CAP_MAX } from '../../../domain/bugs.ts'
import { Integer, writable } from '../../../http/input/schema.ts'

export const WEBHOOKS_MAX = 5
export const WEBHOOK_URL_MAX = 2000

const fields = {
  enabled: t.Boolean({ description: 'Can players report bugs from the game?' }),
  daily_cap: Integer({
    minimum: 1,
    maximum: DAILY_CAP_MAX,
    description: `Reports per reporter and UTC day, from the game and the store page together; ${DAILY_CAP_DEFAULT} unless set.`,
    examples: [DAILY_CAP_DEFAULT],
  }),
  webhook_urls: t.Array(t.String({ examples: ['https://example.org/bugs'] }), {
    maxItems: WEBHOOKS_MAX,
    description: 'https, or http://127.0.0.1 for a receiver on the same machine.',
  }),
}

const Webhook = t.Object({
  url: t.String(),
  delivers: t.Boolean({ description: 'Is anything sent there?' }),
  reason: t.Nullable(t.String({ description: 'Why nothing is sent; null if it is.' })),
})

const readOnly = {
  webhooks: t.Array(Webhook, { description: 'The addresses of webhook_urls, and whether they are called.' }),
  signing_key: t.Nullable(
    t.String({
      description:
        'Signs webhooks and screenshot URLs; null until the reporter is first used. Programs only see its last four characters.',
    }),
  ),
}

/** Absent fields stay unchanged. Read-only fields are accepted, so that a response can be sent back. */
export const BugReporterInput = t.Partial(t.Object({ ...fields, ...readOnly }), {
  additionalProperties: false,
})
export type BugReporterInput = typeof BugReporterInput.static

export const BugReporter = t.Object({ ...fields, ...readOnly })
export type BugReporter = typeof BugReporter.static
export const BugReporterEdit = writable(BugReporterInput, BugReporter)
