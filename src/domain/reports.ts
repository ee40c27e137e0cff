/** Why someone reports a page to the operators. */
export const REPORT_REASONS = ['malware', 'stolen', 'illegal', 'hateful', 'mislabelled', 'other'] as const
export type ReportReason = (typeof REPORT_REASONS)[number]

export const REPORT_STATES = ['open', 'resolved', 'dismissed'] as const
export type ReportState = (typeof REPORT_STATES)[number]

/** What an agent may ask for, but only the owner decides. */
export const APPROVAL_KINDS = ['promotion', 'webhooks', 'post', 'jam_entry'] as const
export type ApprovalKind = (typeof APPROVAL_KINDS)[number]
