import { t } from 'elysia'

/** Characters of the description that the check asks for. */
export const DESCRIPTION_MIN = 200

const Finding = t.Object({
  code: t.String({ examples: ['cover_missing'] }),
  field: t.String({ examples: ['cover'] }),
  message: t.String(),
})
export type Finding = typeof Finding.static

/** The report of the listing check: errors prevent publishing, warnings do not. */
export const LintReport = t.Object({
  ok: t.Boolean(),
  errors: t.Array(Finding),
  warnings: t.Array(Finding),
})
export type LintReport = typeof LintReport.static
