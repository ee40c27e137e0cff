import type { Group } from '../../../features/extstore/import/model.ts'

export const GROUP_LABELS: Readonly<Record<Group, string>> = {
  text: 'Texts',
  taxonomy: 'Genres, tags and the like',
  status: 'Status',
  images: 'Pictures',
  press: 'Press kit',
  price: 'Price',
  age: 'Age and content warnings',
  store_link: 'Store link',
}
