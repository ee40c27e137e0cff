import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'

interface Used {
  hasCards: boolean
  /** How often each name of a section was used. */
  names: Map<string, number>
}

const Page = createContext<Used>({ hasCards: true, names: new Map() })

/** Wraps every page and holds what its components share: whether it has cards, and its section names. */
export function OncePage({ children }: { children: ComponentChildren }) {
  return <Page.Provider value={{ hasCards: false, names: new Map() }}>{children}</Page.Provider>
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
