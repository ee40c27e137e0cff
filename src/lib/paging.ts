export const PAGE_SIZE_DEFAULT = 20
export const PAGE_SIZE_MAX = 50

export interface Page {
  page: number
  page_size: number
  offset: number
}

/** Clamps values outside the bounds; anything but a number becomes the default. */
export function parsePage(query: { page?: string | undefined; page_size?: string | undefined }): Page {
  const page = clamp(query.page, 1, 1, 1_000_000)
  const page_size = clamp(query.page_size, PAGE_SIZE_DEFAULT, 1, PAGE_SIZE_MAX)
  return { page, page_size, offset: (page - 1) * page_size }
}

export function clamp(value: string | undefined, fallback: number, min: number, max: number): number {
  const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value)
  if (Number.isNaN(number)) return fallback
  return Math.min(max, Math.max(min, Math.trunc(number)))
}

export interface Paged<Item> {
  items: Item[]
  total: number
  page: number
  page_size: number
}

export function paged<Item>({ page, page_size }: Page, items: Item[], total: number): Paged<Item> {
  return { items, total, page, page_size }
}

/** The answer of a list of rows that were paged by the database. */
export function mapPage<Row, Item>({ items, ...page }: Paged<Row>, toItem: (row: Row) => Item): Paged<Item> {
  return { ...page, items: items.map(toItem) }
}
