import {
  type AssetType,
  DEPENDENCY_KINDS,
  MODDING_TYPES,
  PARENT_RULES,
} from '../../../domain/listings/listing.ts'
import { AppError, invalidFields, type Issue, nameField } from '../../../errors.ts'
import { ListingPatch } from '../../../features/listings/page/model.ts'
import { sayOfEntry, splitList } from '../../kit/field-words.ts'
import { checkForm } from '../../kit/form-state.ts'
import { FIELD_NAMES, type FieldName, FIELDS, type Texts } from './listing-form.ts'

type Read = (text: string) => unknown
const typed: Read = (text) => text
const cleared: Read = (text) => (text === '' ? null : text)
const ticked: Read = (text) => text === 'true'

/** How each field is sent. Those with a dot in their name are parts of a field that is sent whole. */
const READS: Readonly<Record<Exclude<FieldName, `${string}.${string}`>, Read>> = {
  name: typed,
  vanity_name: typed,
  asset_type: typed,
  tagline: typed,
  description: typed,
  status: cleared,
  website: cleared,
  license_kind: cleared,
  session_bucket: cleared,
  net: cleared,
  authorship: cleared,
  authorship_credit: cleared,
  genres: splitList,
  tags: splitList,
  tone: splitList,
  inputs: splitList,
  content_warnings: splitList,
  engines: splitList,
  ai_uses: splitList,
  similar_titles: splitList,
  adult: ticked,
  indexable: ticked,
  players_min: readNumber,
  players_max: readNumber,
}

/** The fields that differ from the current page, as the API's body. */
export function readPatch(texts: Texts, current: Texts): ListingPatch {
  const changed = new Set<string>(FIELD_NAMES.filter((name) => texts[name] !== current[name]))
  const patch = Object.fromEntries<unknown>(
    Object.entries(READS)
      .filter(([name]) => changed.has(name))
      .map(([name, read]) => [name, read(texts[name as FieldName])]),
  )
  const touches = (prefix: string) => [...changed].some((name) => name.startsWith(prefix))
  const type = texts.asset_type as AssetType
  if (touches('parent.') && PARENT_RULES[type] !== 'none') patch.parent = readParent(texts)
  if (touches('mod_settings.') && MODDING_TYPES.includes(type)) patch.mod_settings = readModSettings(texts)
  if (touches('dependencies.')) patch.dependencies = readDependencies(texts)
  checkForm(ListingPatch, patch as ListingPatch)
  return patch
}

/** Anything but a number is passed on, so that the service says what it expects. */
function readNumber(text: string): number | string | null {
  if (text === '') return null
  return /^\d+$/.test(text) ? Number(text) : text
}

function readParent(texts: Texts): ListingPatch['parent'] {
  const parent = {
    ...filled('game', texts['parent.game']),
    ...filled('external_name', texts['parent.external_name']),
    ...filled('external_url', texts['parent.external_url']),
  }
  return Object.keys(parent).length === 0 ? null : parent
}

function readModSettings(texts: Texts): ListingPatch['mod_settings'] {
  return {
    install_path: texts['mod_settings.install_path'],
    loader: texts['mod_settings.loader'],
    instructions: texts['mod_settings.instructions'],
  }
}

function readDependencies(texts: Texts) {
  return DEPENDENCY_KINDS.flatMap((kind) =>
    splitList(texts[`dependencies.${kind}`]).map((game) => ({ kind, game })),
  )
}

function filled(name: string, text: string): Record<string, string> {
  return text === '' ? {} : { [name]: text }
}

/** Points an error of the service at the field of the form that caused it: each kind of dependency has its own. */
export function locate(error: unknown, { dependencies }: ListingPatch): unknown {
  if (!(error instanceof AppError)) return error
  const [issue]: readonly Issue[] = (error.data?.issues as Issue[] | undefined) ?? []
  const index = /^dependencies\.(\d+)/.exec(issue?.path ?? '')?.[1]
  const entry = index === undefined ? undefined : dependencies?.[Number(index)]
  if (issue && entry) {
    const field = `dependencies.${entry.kind}` as const
    const fault = issue.message.slice(nameField(issue.path).length)
    return move(error, field, sayOfEntry(entry.game ?? '', FIELDS[field].label, fault))
  }
  return error.kind === 'taken' && !issue ? move(error, 'vanity_name', error.message) : error
}

function move({ kind }: AppError, path: string, message: string): AppError {
  return invalidFields([{ path, message }], { kind })
}
