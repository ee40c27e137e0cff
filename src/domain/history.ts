/** What a project's history records besides the moves of channels and the changes of tickets. */
export const HISTORY_KINDS = [
  'build_deleted',
  'symbols_deleted',
  'image_deleted',
  'video_deleted',
  'bug_reporter_changed',
  'publisher_added',
  'publisher_removed',
  'publisher_forgot',
  'publishing_changed',
  'post_scheduled',
  'post_published',
  'post_withdrawn',
  'post_deleted',
] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]
