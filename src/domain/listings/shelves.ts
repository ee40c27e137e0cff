export const SHELF_KINDS = ['tonight', 'unheard_of', 'play_now'] as const
export type ShelfKind = (typeof SHELF_KINDS)[number]
