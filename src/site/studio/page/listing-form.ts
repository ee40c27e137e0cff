import { OPERATING_SYSTEMS, type OperatingSystem } from '../../../domain/builds/platforms.ts'
import { type Field } from '../../../domain/listings/field-kinds.ts'
import { FIELDS, mapFields } from '../../../domain/listings/fields.ts'
import {
  LANGUAGE_PARTS,
  type LanguagePart,
  type LanguageSupport,
  parseLanguage,
} from '../../../domain/listings/languages.ts'
import {
  type AssetType,
  DEPENDENCY_KINDS,
  type DependencyKind,
  MODDING_TYPES,
  PARENT_RULES,
} from '../../../domain/listings/listing.ts'
import { REQUIREMENT_LEVELS, type RequirementLevel } from '../../../domain/listings/requirements.ts'
import { AppError, invalidFields, type Issue, nameField } from '../../../errors.ts'
import { type EditableListing, ListingPatch } from '../../../features/listings/page/model.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { splitList, toEntryMessage } from '../../kit/field-words.ts'
import { checkForm } from '../../kit/form-state.ts'
import { SYSTEM_LABELS } from '../../kit/labels.tsx'

/** Every field of the page's form as text, so that two versions can be compared and shown. */
type Texts = Readonly<Record<FormFieldName, string>>
export type FormFieldName = keyof typeof FORM_FIELDS

interface FormField {
  label: string
  /** text: one line; area: as typed; list: comma-separated; flag: ticked or not; an array: values to tick. */
  kind: 'text' | 'area' | 'list' | 'flag' | readonly string[]
  show: (listing: EditableListing) => string
  /** Converts the text to the API's value; missing for parts of a field that is sent as a whole. */
  parse?: (text: string) => unknown
}

const join = (values: readonly string[]) => values.join(', ')
const named = (games: readonly { vanity_name: string }[]) => join(games.map((game) => game.vanity_name))
const part = (label: string, kind: FormField['kind'], show: FormField['show']): FormField => ({
  label,
  kind,
  show,
})
const dependency = (label: string, kind: DependencyKind) =>
  part(label, 'list', ({ dependencies }) => named(dependencies.filter((link) => link.kind === kind)))

const asTyped = (text: string) => text
const cleared = (text: string) => (text === '' ? null : text)
const ticked = (text: string) => text === 'true'

/** Passes invalid numbers on, so that the service reports what it expects. */
function parseNumber(text: string): number | string | null {
  if (text === '') return null
  return /^\d+$/.test(text) ? Number(text) : text
}

type PlainField = Exclude<Field, { kind: 'languages' | 'requirements' }>
type PlainName = Exclude<keyof typeof FIELDS, 'languages' | 'requirements'>

/** The others have a field of the form for each of their parts. */
const PLAIN_FIELDS = Object.fromEntries(
  Object.entries<Field>(FIELDS).filter(([, { kind }]) => kind !== 'languages' && kind !== 'requirements'),
) as Record<PlainName, PlainField>
type Shown = string | number | boolean | readonly string[] | null

function toFormField(field: PlainField, name: PlainName): FormField {
  const { label } = field
  const valueOf = (listing: EditableListing): Shown => listing[name]
  const show = (listing: EditableListing) => String(valueOf(listing) ?? '')
  const showList = (listing: EditableListing) => join(listing[name] as readonly string[])
  switch (field.kind) {
    case 'flag':
      return { label, kind: 'flag', show: (listing) => flagText(valueOf(listing) === true), parse: ticked }
    case 'slugs':
      return { label, kind: 'list', show: showList, parse: splitList }
    case 'choices': {
      const isPicked = (listing: EditableListing, value: string) =>
        (listing[name] as readonly string[]).includes(value)
      const showPicked = (listing: EditableListing) =>
        join(field.values.filter((value) => isPicked(listing, value)))
      return { label, kind: field.values, show: showPicked, parse: splitList }
    }
    case 'number':
      return { label, kind: 'text', show, parse: parseNumber }
    case 'area':
      return { label, kind: 'area', show, parse: cleared }
    case 'choice':
    case 'line':
    default:
      return { label, kind: 'text', show, parse: field.isRequired ? asTyped : cleared }
  }
}

function languagesWith(has: LanguagePart, label: string): FormField {
  return part(label, 'list', (listing) =>
    join(listing.languages.filter((entry) => entry[has]).map(({ language }) => language)),
  )
}

type RequirementName = `requirements.${OperatingSystem}.${RequirementLevel}`
const REQUIREMENT_FIELDS = Object.fromEntries(
  OPERATING_SYSTEMS.flatMap((os) =>
    REQUIREMENT_LEVELS.map((level) => [
      `requirements.${os}.${level}`,
      part(`${SYSTEM_LABELS[os]}: ${level}`, 'area', (listing) => listing.requirements[os]?.[level] ?? ''),
    ]),
  ),
) as Record<RequirementName, FormField>

export const FORM_FIELDS = {
  ...mapFields<PlainName, PlainField, FormField>(PLAIN_FIELDS, toFormField),
  'languages.interface': languagesWith('interface', 'Languages of texts and menus'),
  'languages.audio': languagesWith('audio', 'Languages of speech'),
  'languages.subtitles': languagesWith('subtitles', 'Languages of subtitles'),
  ...REQUIREMENT_FIELDS,
  'parent.game': part('Parent in this store', 'text', ({ parent }) =>
    parent && 'game' in parent ? (parent.vanity_name ?? parent.game) : '',
  ),
  'parent.external_name': part('Parent elsewhere: name', 'text', ({ parent }) =>
    parent && 'external_name' in parent ? parent.external_name : '',
  ),
  'parent.external_url': part('Parent elsewhere: link', 'text', ({ parent }) =>
    parent && 'external_url' in parent ? parent.external_url : '',
  ),
  'mod_settings.install_path': part('Install path', 'text', (listing) => settingOf(listing, 'install_path')),
  'mod_settings.loader': part('Loader', 'text', (listing) => settingOf(listing, 'loader')),
  'mod_settings.instructions': part('Instructions', 'area', (listing) => settingOf(listing, 'instructions')),
  similar_titles: {
    label: 'Similar titles',
    kind: 'list',
    show: ({ similar_titles }) => named(similar_titles),
    parse: splitList,
  },
  'dependencies.uses': dependency('Uses', 'uses'),
  'dependencies.supports': dependency('Supports', 'supports'),
  'dependencies.made_with': dependency('Made with', 'made_with'),
} satisfies Record<string, FormField>

const FORM_FIELD_NAMES = Object.keys(FORM_FIELDS) as FormFieldName[]

function settingOf(
  { mod_settings }: EditableListing,
  name: 'install_path' | 'loader' | 'instructions',
): string {
  return mod_settings?.[name] ?? ''
}

function flagText(value: boolean): string {
  return value ? 'true' : ''
}

export function textsOf(listing: EditableListing): Texts {
  return collect((name) => FORM_FIELDS[name].show(listing))
}

/** A field that was not on the form stays as it is. Browsers do not send unticked boxes. */
export function textsOfForm(form: URLSearchParams, current: Texts): Texts {
  const isWhole = form.has('base')
  return collect((name) => {
    const { kind }: FormField = FORM_FIELDS[name]
    if (kind === 'text' || kind === 'area' || kind === 'list')
      return parseText(form.get(name), kind) ?? current[name]
    if (!form.has(name) && !isWhole) return current[name]
    return kind === 'flag' ? flagText(form.has(name)) : joinTicked(kind, form.getAll(name))
  })
}

/** Unknown values are passed on, so that the service reports them. */
function joinTicked(known: readonly string[], ticked: readonly string[]): string {
  return join([
    ...known.filter((value) => ticked.includes(value)),
    ...ticked.filter((value) => !known.includes(value)),
  ])
}

/** The form that shows these texts. */
export function formOfTexts(texts: Texts): URLSearchParams {
  const form = new URLSearchParams()
  for (const name of FORM_FIELD_NAMES) {
    const { kind }: FormField = FORM_FIELDS[name]
    const values = typeof kind === 'string' ? [texts[name]] : splitList(texts[name])
    for (const value of values) if (kind !== 'flag' || value !== '') form.append(name, value)
  }
  return form
}

/** Browsers send line breaks as two characters. */
function parseText(value: string | null, kind: 'text' | 'area' | 'list'): string | null {
  if (value === null) return null
  const text = value.replaceAll('\r\n', '\n')
  if (kind === 'list') return join(splitList(text))
  return kind === 'area' ? text : text.trim()
}

function collect(read: (name: FormFieldName) => string): Texts {
  return Object.fromEntries(FORM_FIELD_NAMES.map((name) => [name, read(name)])) as Record<
    FormFieldName,
    string
  >
}

/** A field that differs between the saved page and the form. */
export interface Difference {
  name: FormFieldName
  theirs: string
  mine: string
  /** Whether the form did not change the field, so that their version is taken. */
  isTheirs: boolean
}

interface Merged {
  texts: Texts
  differences: Difference[]
}

/** Hashes of the texts that the form started from, short enough for a hidden field. */
export function writeBase(texts: Texts): string {
  return FORM_FIELD_NAMES.map((name) => hashOf(texts[name])).join(' ')
}

/** Whether no field of the form was saved by somebody else since it was opened. */
export function isUntouched(base: string, theirs: Texts): boolean {
  return base === writeBase(theirs)
}

/** Takes their version of every field that the form did not change, and the form's of all others. */
export function merge(base: string, theirs: Texts, mine: Texts): Merged {
  const hashes = base.split(' ')
  const differences = FORM_FIELD_NAMES.flatMap((name, index) => {
    if (theirs[name] === mine[name]) return []
    const isTheirs = hashes[index] === hashOf(mine[name])
    const isMineAlone = hashes[index] === hashOf(theirs[name])
    return isMineAlone ? [] : [{ name, theirs: theirs[name], mine: mine[name], isTheirs }]
  })
  const taken = differences.filter(({ isTheirs }) => isTheirs).map(({ name }) => [name, theirs[name]])
  return { texts: { ...mine, ...(Object.fromEntries(taken) as Partial<Texts>) }, differences }
}

function hashOf(text: string): string {
  return sha256Hex(text).slice(0, 8)
}

/** The fields that differ from the current page, as the API's body. */
export function parsePatch(texts: Texts, current: Texts): ListingPatch {
  const changed = FORM_FIELD_NAMES.filter((name) => texts[name] !== current[name])
  const patch = Object.fromEntries<unknown>(
    changed.flatMap((name) => {
      const { parse }: FormField = FORM_FIELDS[name]
      return parse ? [[name, parse(texts[name])]] : []
    }),
  )
  const touches = (prefix: string) => changed.some((name) => name.startsWith(prefix))
  const type = texts.asset_type as AssetType
  if (touches('parent.') && PARENT_RULES[type] !== 'none') patch.parent = parseParent(texts)
  if (touches('mod_settings.') && MODDING_TYPES.includes(type)) patch.mod_settings = parseModSettings(texts)
  if (touches('languages.')) patch.languages = parseLanguages(texts)
  if (touches('requirements.')) patch.requirements = parseRequirements(texts)
  if (touches('dependencies.')) patch.dependencies = parseDependencies(texts)
  checkForm(ListingPatch, patch as ListingPatch)
  return patch
}

function parseParent(texts: Texts): ListingPatch['parent'] {
  const parent = {
    ...filled('game', texts['parent.game']),
    ...filled('external_name', texts['parent.external_name']),
    ...filled('external_url', texts['parent.external_url']),
  }
  return Object.keys(parent).length === 0 ? null : parent
}

function parseModSettings(texts: Texts): ListingPatch['mod_settings'] {
  return {
    install_path: texts['mod_settings.install_path'],
    loader: texts['mod_settings.loader'],
    instructions: texts['mod_settings.instructions'],
  }
}

function parseDependencies(texts: Texts) {
  return DEPENDENCY_KINDS.flatMap((kind) =>
    splitList(texts[`dependencies.${kind}`]).map((game) => ({ kind, game })),
  )
}

/** One entry for each language of the three lists, in the order in which they are first named. */
function parseLanguages(texts: Texts): LanguageSupport[] {
  const found = new Map<string, LanguageSupport>()
  for (const has of LANGUAGE_PARTS) {
    for (const typed of splitList(texts[`languages.${has}`])) {
      const language = parseLanguage(typed) ?? typed
      const entry = found.get(language) ?? { language, interface: false, audio: false, subtitles: false }
      found.set(language, { ...entry, [has]: true })
    }
  }
  return [...found.values()]
}

function parseRequirements(texts: Texts) {
  return Object.fromEntries(
    OPERATING_SYSTEMS.map((os) => [
      os,
      Object.fromEntries(
        REQUIREMENT_LEVELS.map((level) => [level, cleared(texts[`requirements.${os}.${level}`])]),
      ),
    ]),
  )
}

function filled(name: string, text: string): Record<string, string> {
  return text === '' ? {} : { [name]: text }
}

/** Moves issues of the service to the form's fields: each kind of dependency has a field of its own. */
export function locate(error: unknown, sent: ListingPatch): unknown {
  if (!(error instanceof AppError)) return error
  const { kind, message } = error
  const issues = error.data?.issues as readonly Issue[] | undefined
  if (issues)
    return invalidFields(
      issues.map((issue) => locateIssue(issue, sent)),
      { kind },
    )
  return kind === 'taken' ? invalidFields([{ path: 'vanity_name', message }], { kind }) : error
}

function locateIssue(issue: Issue, { dependencies, languages }: ListingPatch): Issue {
  const [, list, index] = /^(dependencies|languages)(?:\.(\d+))?/.exec(issue.path) ?? []
  if (list === 'languages') return locateLanguage(issue, Number(index), languages)
  const entry = list === undefined ? undefined : dependencies?.[Number(index)]
  if (!entry) return issue
  const path = `dependencies.${entry.kind}` as const
  const fault = issue.message.slice(nameField(issue.path).length)
  return { path, message: toEntryMessage(entry.game ?? '', FORM_FIELDS[path].label, fault) }
}

/** Languages are typed into a field for each part: the fault is shown at the first that names the language. */
function locateLanguage({ message }: Issue, index: number, sent: unknown): Issue {
  const entry = (sent as readonly LanguageSupport[])[index]
  const path = `languages.${LANGUAGE_PARTS.find((part) => entry?.[part]) ?? 'interface'}` as const
  if (!entry) return { path, message }
  const rule = ' must be a tag such as en or pt-BR.'
  return { path, message: toEntryMessage(entry.language, FORM_FIELDS[path].label, rule) }
}
