import { Idiomorph } from 'idiomorph'

export async function readPage(response: Response): Promise<Document> {
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/**
 * Turns the content of an element into that of its fresh version. Elements that both have stay the same: with their
 * focus and chosen files, and open or closed as the reader left them.
 */
export function swap(current: Element, fresh: Element): void {
  void Idiomorph.morph(current, [...fresh.childNodes], {
    morphStyle: 'innerHTML',
    callbacks: { beforeAttributeUpdated: (name, element) => !isOfReader(name, element) },
  })
}

/** Nor does the server know the text of a box that no form sends. */
function isOfReader(attribute: string, element: Element): boolean {
  if (attribute === 'open') return element instanceof HTMLDetailsElement
  return attribute === 'value' && element instanceof HTMLInputElement && element.name === ''
}
