import type { ComponentChildren, VNode } from 'preact'

import { createContext, useContext } from './html.ts'

/** A section of a page by its id, or a form by its action. */
type Place = { section: string } | { action: string }

/** The result of a sent form. It is shown at that form, whose place is known after a first rendering. */
export interface Outcome {
  /** The path that the form was sent to. */
  posted: string
  /** The fragment of the address; empty for a rejected form. */
  fragment: string
  /** Possible ids of the section: forms with the same action name theirs in a field. */
  hints: readonly string[]
  /** Collected while the page is rendered, like `sections`. */
  forms: { action: string; section: string | null; hasRoom: boolean }[]
  sections: Set<string>
  message: VNode | null
  place: Place | null
}

const outcomes = new WeakMap<Request, Outcome>()

export function expectOutcome(request: Request, facts: Pick<Outcome, 'posted' | 'fragment' | 'hints'>): void {
  outcomes.set(request, { ...facts, forms: [], sections: new Set(), message: null, place: null })
}

/** Renders a page, and again if the message belongs at another place than where it was rendered. */
export function renderAtPlace<Rendered>(request: Request, render: () => Rendered): Rendered {
  const first = render()
  const outcome = outcomes.get(request)
  if (!outcome?.message) return first
  outcome.place = findPlace(outcome)
  return outcome.place === null ? first : render()
}

function findPlace({ posted, fragment, hints, forms, sections }: Outcome): Place | null {
  if (sections.has(fragment)) return { section: fragment }
  const same = forms.filter(({ action }) => action === posted)
  const hinted = hints.find((hint) => sections.has(hint))
  if (hinted !== undefined && (same.length !== 1 || same[0]?.section === hinted)) return { section: hinted }
  const form = same[0] ?? findNearest(posted, forms)
  if (form?.section) return { section: form.section }
  return same[0]?.hasRoom ? { action: posted } : null
}

/** The form of a deleted entry is gone, so takes the form whose action shares the longest path with it. */
function findNearest(posted: string, forms: Outcome['forms']): Outcome['forms'][number] | undefined {
  const path = posted.split('/')
  const shared = ({ action }: { action: string }) => {
    const parts = action.split('/')
    const end = path.findIndex((part, at) => part !== parts[at])
    return end === -1 ? path.length : end
  }
  const depth = Math.max(0, ...forms.map(shared))
  // All forms share the path of the page, so a longer common path is needed to be of the same kind.
  const isOfKind = depth > Math.min(...forms.map(shared)) || forms.length === 1
  return isOfKind ? forms.find((form) => shared(form) === depth) : undefined
}

const Current = createContext<Outcome | null>(null)
const Within = createContext<string | null>(null)

/** Around every page. */
export function OutcomeOf({ request, children }: { request: Request; children: ComponentChildren }) {
  return <Current.Provider value={outcomes.get(request) ?? null}>{children}</Current.Provider>
}

interface MessageProps {
  class: string
  role: 'alert' | 'status'
  children: ComponentChildren
}

/** The result of a form. It gets the focus when the page opens, so that it is visible and read aloud. */
export function Message({ class: name, role, children }: MessageProps) {
  const outcome = useContext(Current)
  if (outcome !== null && outcome.place !== null) return null
  const message = (id?: string) => (
    <div class="said" id={id} tabIndex={-1} autoFocus>
      <div class={name} role={role}>
        {children}
      </div>
    </div>
  )
  if (outcome !== null) outcome.message = message(outcome.fragment || undefined)
  return message()
}

/** The message, if it belongs at this form. `hasRoom` is false for forms that are only a button. */
export function useFormMessage(action: string, hasRoom: boolean): VNode | null {
  const outcome = useContext(Current)
  const section = useContext(Within)
  outcome?.forms.push({ action: action.split('?', 1)[0] ?? action, section, hasRoom })
  return take(outcome, (place) => 'action' in place && place.action === action)
}

interface SectionParts {
  /** Undefined while the message has the id instead, so that the browser scrolls to the message. */
  id: string | undefined
  message: VNode | null
}

/** For sections with an id; wrap their content in `<InSection>`. */
export function useSection(id: string): SectionParts {
  const outcome = useContext(Current)
  outcome?.sections.add(id)
  const message = take(outcome, (place) => 'section' in place && place.section === id)
  return { id: useAnchor(id), message }
}

/** The id of an element, unless the message has taken it. */
export function useAnchor(id: string): string | undefined {
  const outcome = useContext(Current)
  return outcome !== null && outcome.place !== null && outcome.fragment === id ? undefined : id
}

export function InSection({ id, children }: { id: string; children: ComponentChildren }) {
  return <Within.Provider value={id}>{children}</Within.Provider>
}

function take(outcome: Outcome | null, isHere: (place: Place) => boolean): VNode | null {
  if (outcome === null || outcome.place === null || !isHere(outcome.place)) return null
  const { message } = outcome
  outcome.message = null
  return message
}
