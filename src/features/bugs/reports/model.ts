import { t } from 'elysia'

import { Joined, Moment, Strict, Uid } from '../../../http/input/schema.ts'

export const MESSAGE_MAX = 4000
export const LOG_BYTES_MAX = 512 * 1024
export const SCREENSHOT_BYTES_MAX = 32 * 1024 * 1024
export const FACT_MAX = 64

const fact = (description: string, example: string) =>
  t.Optional(
    t.String({
      maxLength: FACT_MAX,
      description,
      examples: [example],
    }),
  )

export const ReportInput = Strict({
  message: t.String({ description: `1 to ${MESSAGE_MAX} characters.`, examples: ['The lamp is dark.'] }),
  client_version: fact('The version the player runs.', '1.4.1'),
  os: fact('The player’s operating system.', 'linux'),
  arch: fact('The player’s processor.', 'x86_64'),
  build_id: fact('The build the player runs.', '01980f5e-7a31-7c24-9d0b-52c1f6a3e8b4'),
  log: t.Optional(t.String({ description: `At most ${LOG_BYTES_MAX} bytes.`, examples: ['light = 0'] })),
})
export type ReportInput = typeof ReportInput.static

/** The form that games send, for the API description only: it is read as a stream. */
export const ReportForm = Joined([
  ReportInput,
  t.Object({
    screenshot: t.Optional(
      t.String({
        contentMediaType: 'image/png',
        description:
          'One PNG, JPEG or WebP file of at most 32 MiB, stored as sent. The log may be a file, too.',
        examples: ['the bytes of a PNG'],
      }),
    ),
  }),
])

export const FiledReport = t.Object({ ticket_uid: Uid, created_at: Moment })
export type FiledReport = typeof FiledReport.static
