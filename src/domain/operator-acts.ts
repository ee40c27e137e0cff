/** Everything operators can do, as the audit log names it. */
export const OPERATOR_ACTS = [
  'take_down',
  'restore_listing',
  'rescan_file',
  'suspend_account',
  'restore_account',
  'set_storage_limit',
  'reset_factors',
  'clear_profile',
  'dismiss_look_alike',
  'dismiss_report',
  'resolve_report',
  'retry_job',
  'rebuild_search',
  'add_operator',
  'remove_operator',
  'change_settings',
  'approve_publication',
  'decline_publication',
  'make_invitations',
  'revoke_invitation',
  'add_account',
  'refund_order',
  'create_collection',
  'change_collection',
  'delete_collection',
] as const
export type OperatorAct = (typeof OPERATOR_ACTS)[number]

export const ACT_SUBJECTS = [
  'listing',
  'file',
  'account',
  'report',
  'job',
  'search',
  'settings',
  'invitation',
  'order',
  'collection',
] as const
export type ActSubject = (typeof ACT_SUBJECTS)[number]
