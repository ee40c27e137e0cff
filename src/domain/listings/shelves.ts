export const SHELF_KINDS = ['tonight', 'unheard_of'] as const
export type ShelfKind = (typeof SHELF_KINDS)[number]
