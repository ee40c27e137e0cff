import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'

/** A section of a page by its id, or a form by its action. */
type Place = { section: string } | { action: string }

/** What became of a form that was sent. It is said where that form is, which is known once the page was rendered. */
export interface Outcome {
  /** The path that the form was sent to. */
  posted: string
  /** Where the address leads; empty after a refusal, which has no fragment. */
  fragment: string
  /** What may name the section: forms that share an address say in a field which they are. */
  hints: readonly string[]
  /** The forms and sections that the page turned out to have. */
  forms: { action: string; section: string | null; hasRoom: boolean }[]
  sections: Set<string>
  message: VNode | null
  place: Place | null
}

const outcomes = new WeakMap<Request, Outcome>()

export function expectOutcome(request: Request, facts: Pick<Outcome, 'posted' | 'fragment' | 'hints'>): void {
  outcomes.set(request, { ...facts, forms: [], sections: new Set(), message: null, place: null })
}

/** Renders a page, a second time if the message belongs elsewhere on it. */
export function renderAtPlace(request: Request, render: () => string): string {
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

/** Once something is deleted its form is gone too: the other forms about its kind are near. */
function findNearest(posted: string, forms: Outcome['forms']): Outcome['forms'][number] | undefined {
  const path = posted.split('/')
  const shared = ({ action }: { action: string }) => {
    const parts = action.split('/')
    const end = path.findIndex((part, at) => part !== parts[at])
    return end === -1 ? path.length : end
  }
  const depth = Math.max(0, ...forms.map(shared))
  // All forms of a page share its own path.
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

/** Says what became of a form. It has the focus when the page opens, so that it is seen and read wherever it is. */
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

/** The message, if it belongs to this form: outside of sections, where there is room for more than a button. */
export function useFormMessage(action: string, hasRoom: boolean): VNode | null {
  const outcome = useContext(Current)
  const section = useContext(Within)
  outcome?.forms.push({ action: action.split('?', 1)[0] ?? action, section, hasRoom })
  return take(outcome, (place) => 'action' in place && place.action === action)
}

interface SectionParts {
  /** None while the message has it, so that the address leads to the message. */
  id: string | undefined
  message: VNode | null
}

/** For sections that links lead to; their content belongs into `<InSection>`. */
export function useSection(id: string): SectionParts {
  const outcome = useContext(Current)
  outcome?.sections.add(id)
  const message = take(outcome, (place) => 'section' in place && place.section === id)
  return { id: useAnchor(id), message }
}

/** The id of an element that addresses lead to. */
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
