/** What a project's history records besides the moves of its channels. */
export const HISTORY_KINDS = ['build_deleted', 'symbols_deleted', 'image_deleted'] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]
