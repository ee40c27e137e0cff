import type { ComponentChildren } from 'preact'

import type { OperatingSystem } from '../../domain/builds/platforms.ts'
import { createContext, useContext } from '../kit/html.ts'

interface Used {
  /** The visitor's system; null if it is unknown. */
  os: OperatingSystem | null
  hasCards: boolean
  /** How often each name of a section was used. */
  names: Map<string, number>
}

const Page = createContext<Used>({ os: null, hasCards: true, names: new Map() })

interface OncePageProps extends Partial<Pick<Used, 'os'>> {
  children: ComponentChildren
}

/** Wraps every page and holds what its components share: the system, whether it has cards, and its section names. */
export function OncePage({ os = null, children }: OncePageProps) {
  return <Page.Provider value={{ os, hasCards: false, names: new Map() }}>{children}</Page.Provider>
}

/** The visitor's system. */
export function useSystem(): OperatingSystem | null {
  return useContext(Page).os
}

/** Returns true for the first list of cards on the page only. */
export function useFirstCards(): boolean {
  const page = useContext(Page)
  const isFirst = !page.hasCards
  page.hasCards = true
  return isFirst
}

/** Screen readers list sections by name: a second "Classics" becomes "Classics (2)"; null for the first. */
export function useRepeatedName(name: string): string | null {
  const { names } = useContext(Page)
  const count = (names.get(name) ?? 0) + 1
  names.set(name, count)
  return count === 1 ? null : `${name} (${count})`
}
