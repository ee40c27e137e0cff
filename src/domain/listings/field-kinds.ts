/** A parameter of the search, with values as examples. */
export type FacetParameter = readonly [name: string, about: string, ...examples: string[]]

interface FacetOptions {
  /** The heading of the filter, where that is not the label. */
  legend?: string
  /** The parameter that asks for values, by default named like the field; null: values can only be excluded. */
  include?: FacetParameter | null
  exclude?: FacetParameter
  /** Searches use the first value they know, and no other. */
  isSingle?: true
}

interface Described {
  /** The name on forms. */
  label: string
  /** The name in messages, where that is not the label in lower case. */
  inWords?: string
  hint?: string
  placeholder?: string
  /** The section of the editor's form, for fields that are not laid out by hand. */
  section?: 'taxonomy' | 'play' | 'authors' | 'access'
  /** Whether searches filter by it and count its values, and how. */
  facet?: true | FacetOptions
  /** How values are shown; by default as they are. */
  labels?: Readonly<Record<string, string>>
}

type Values = readonly [string, ...string[]]

/** One of the values. Null clears it, unless it is required. */
interface ChoiceField extends Described {
  kind: 'choice'
  values: Values
  isRequired?: true
}

/** Several of the values. */
interface ChoicesField extends Described {
  kind: 'choices'
  values: Values
  max?: number
}

/** Words of a-z, 0-9 and dashes. */
interface SlugsField extends Described {
  kind: 'slugs'
  max: number
}

/** A whole number. Null clears it. */
interface NumberField extends Described {
  kind: 'number'
  min: number
  max: number
  facet?: never
}

/** One line of text. Null clears it, unless it is required. */
interface LineField extends Described {
  kind: 'line'
  max?: number
  isRequired?: true
  facet?: never
}

/** Languages with what is in them. Searches filter by their tags. */
interface LanguagesField extends Described {
  kind: 'languages'
  max: number
}

/** What each operating system needs. */
interface RequirementsField extends Described {
  kind: 'requirements'
  facet?: never
}

interface OtherField extends Described {
  /** Several lines of text, or yes and no. */
  kind: 'area' | 'flag'
  facet?: never
}

export type TaxonomyField =
  ChoiceField | ChoicesField | SlugsField | NumberField | LineField | LanguagesField | RequirementsField
export type Field = TaxonomyField | OtherField
