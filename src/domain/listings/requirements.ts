import { isObject } from '../../lib/field-readers.ts'
import { countCharacters } from '../../lib/text/characters.ts'
import { OPERATING_SYSTEMS, type OperatingSystem } from '../builds/platforms.ts'
import { refuseTaxonomy } from './slugs.ts'

export const REQUIREMENT_MAX = 500
export const REQUIREMENT_LEVELS = ['minimum', 'recommended'] as const
export type RequirementLevel = (typeof REQUIREMENT_LEVELS)[number]

/** Plain text, with line breaks. At least one of them is set. */
type Requirement = Record<RequirementLevel, string | null>
export type Requirements = { [Os in OperatingSystem]?: Requirement }

/** Systems for which nothing is stated are left out. */
export function parseRequirements(field: string, value: unknown): Requirements {
  if (value === null) return {}
  if (!isObject(value)) return refuseTaxonomy(field, value, 'must be an object of operating systems')
  const requirements: Requirements = {}
  for (const [name, given] of Object.entries(value)) {
    const os = OPERATING_SYSTEMS.find((known) => known === name)
    if (!os) return refuseTaxonomy(field, name, `must name only ${OPERATING_SYSTEMS.join(', ')}`)
    const requirement = parseRequirement(`${field}.${os}`, given)
    if (REQUIREMENT_LEVELS.some((level) => requirement[level] !== null)) requirements[os] = requirement
  }
  return requirements
}

function parseRequirement(path: string, given: unknown): Requirement {
  if (given === null) return { minimum: null, recommended: null }
  if (!isObject(given)) return refuseTaxonomy(path, given, 'must be an object with minimum and recommended')
  const { minimum = null, recommended = null, ...others } = given
  if (Object.keys(others).length > 0) {
    refuseTaxonomy(path, given, `must have only ${REQUIREMENT_LEVELS.join(' and ')}`)
  }
  return {
    minimum: parseText(`${path}.minimum`, minimum),
    recommended: parseText(`${path}.recommended`, recommended),
  }
}

function parseText(path: string, value: unknown): string | null {
  if (value === null) return null
  if (typeof value !== 'string') return refuseTaxonomy(path, value, 'must be a text')
  const text = value.trim()
  if (countCharacters(text) > REQUIREMENT_MAX) {
    refuseTaxonomy(path, text, `must have at most ${REQUIREMENT_MAX} characters`)
  }
  return text === '' ? null : text
}
