/** The mark before a developer's name, which is a value beside the username. */
export const NAME_MARK = '\t'

/** The values of a document's developer. */
export function developerValues(username = '', name: string | null = null): string[] {
  if (username === '') return []
  return name === null ? [username] : [username, NAME_MARK + name]
}
