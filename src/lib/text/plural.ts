import { once } from '../flow/once.ts'

const numbers = once(() => new Intl.NumberFormat('en-US'))

/** "1,200" */
export function formatNumber(value: number): string {
  return numbers().format(value)
}

/** "1 game", "2 games" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
