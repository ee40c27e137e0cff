/** What an agent may ask for, but only the owner decides. */
export const APPROVAL_KINDS = ['promotion', 'webhooks'] as const
export type ApprovalKind = (typeof APPROVAL_KINDS)[number]
