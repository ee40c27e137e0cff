import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'

interface Used {
  hasCards: boolean
  /** How often each name of a section was used. */
  names: Map<string, number>
}

const Page = createContext<Used>({ hasCards: true, names: new Map() })

/** Around every page, for what may be on it only once. */
export function OncePage({ children }: { children: ComponentChildren }) {
  return <Page.Provider value={{ hasCards: false, names: new Map() }}>{children}</Page.Provider>
}

/** Whether these are the first cards of the page: all others are further down. */
export function useFirstCards(): boolean {
  const page = useContext(Page)
  const isFirst = !page.hasCards
  page.hasCards = true
  return isFirst
}

/** Screen readers list sections by name: the second "Classics" of a page is "Classics (2)"; null where the name is new. */
export function useRepeatedName(name: string): string | null {
  const { names } = useContext(Page)
  const count = (names.get(name) ?? 0) + 1
  names.set(name, count)
  return count === 1 ? null : `${name} (${count})`
}
