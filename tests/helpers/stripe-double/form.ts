export type FormValue = string | FormObject | FormValue[]
export interface FormObject {
  [name: string]: FormValue
}

/** Reads Stripe's way of writing objects and lists in a form: `a[b][0][c]=x`. */
export function readForm(text: string): FormObject {
  const root: FormObject = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '')
    let at: FormObject = root
    path.forEach((part, index) => {
      if (index === path.length - 1) at[part] = value
      else at = (at[part] ??= {}) as FormObject
    })
  }
  return toLists(root) as FormObject
}

function toLists(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([name, inner]): [string, FormValue] => [name, toLists(inner)])
  const isList = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

export function textOf(value: FormValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function partOf(value: FormValue | undefined, ...path: (string | number)[]): FormValue | undefined {
  return path.reduce<FormValue | undefined>((at, name) => {
    if (typeof at !== 'object') return undefined
    return Array.isArray(at) ? at[Number(name)] : at[name]
  }, value)
}
