import { Idiomorph } from 'idiomorph'

export async function readPage(response: Response): Promise<Document> {
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/**
 * Updates an element to its fresh version. Elements that are in both are kept, with their focus, chosen files
 * and whether they are open or closed.
 */
export function swap(current: Element, fresh: Element): void {
  void Idiomorph.morph(current, [...fresh.childNodes], {
    morphStyle: 'innerHTML',
    callbacks: { beforeAttributeUpdated: (name, element) => !isOfReader(name, element) },
  })
}

/** Attributes that the reader controls: open details, and text in inputs that no form sends. */
function isOfReader(attribute: string, element: Element): boolean {
  if (attribute === 'open') return element instanceof HTMLDetailsElement
  return attribute === 'value' && element instanceof HTMLInputElement && element.name === ''
}
