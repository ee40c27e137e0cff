import type { ComponentChildren } from 'preact'

import type { SearchRequest } from '../../features/catalog/search/request.ts'
import { CrossIcon, FilterIcon } from '../components/icons.tsx'
import { Submit } from '../kit/form.tsx'
import { countText, numberText } from '../kit/labels.tsx'
import {
  type Facets,
  FILTER_GROUPS,
  type FilterGroup,
  listUnshown,
  listValues,
  OWN_FILTERS,
  type ShownValue,
} from './filters.ts'

/** Longer groups hide the rest behind "Show more". */
const SHOWN_AT_ONCE = 8
/** Groups with at least this many values have a search box. */
const SEARCHED_FROM = 16
/** The first groups with values are unfolded, the others only while one of their values is selected. */
const OPEN_GROUPS = 6

const SHEET = 'filter-form'

/** Opens the sheet of filters on phones. The browser does so itself: no script is needed. */
export function FilterButton({ active }: { active: number }) {
  return (
    <button type="button" class="button second filter-button" popovertarget={SHEET}>
      <FilterIcon />
      Filters{active === 0 ? '' : ` (${active})`}
    </button>
  )
}

interface FilterFormProps {
  state: SearchRequest
  facets: Facets
  total: number
  /** Whether the visitor can follow something. */
  isSignedIn: boolean
}

/**
 * A plain GET form that sends the API's own query parameters. It stands beside the results; on phones it is a sheet
 * that covers their lower part.
 */
export function FilterForm({ state, facets, total, isSignedIn }: FilterFormProps) {
  return (
    <form action="/search" method="get" aria-label="Filters" id={SHEET} class="filters" popover="auto">
      <div class="sheet-head">
        <strong>Filters</strong>
        <button
          type="button"
          class="button second"
          popovertarget={SHEET}
          popovertargetaction="hide"
          aria-label="Close filters"
        >
          <CrossIcon />
        </button>
      </div>
      {listUnshown(state).map(([name, value]) => (
        <input key={name + value} type="hidden" name={name} value={value} />
      ))}
      <div class="groups">
        <input
          class="input small"
          type="search"
          name="find"
          aria-label="Search with these filters"
          placeholder="Search with these filters"
          value={state.first('find')}
          maxLength={200}
          autoComplete="off"
        />
        {isSignedIn ? <Group {...ownGroup(state)} isOpen /> : null}
        {listGroups(state, facets).map((group, index) => (
          <Group key={group.legend} {...group} isOpen={index < OPEN_GROUPS || group.picked > 0} />
        ))}
      </div>
      <div class="apply">
        <Submit>
          <span class="in-column">Apply filters</span>
          <span class="in-sheet without-script">Show results</span>
          <span class="in-sheet with-script">Show {countText(total, 'result')}</span>
        </Submit>
        <a class="button plain" href="/search">
          Reset
        </a>
      </div>
    </form>
  )
}

interface ShownGroup {
  id: string
  legend: string
  /** The number of its selected values. */
  picked: number
  isSingle?: true | undefined
  children: ComponentChildren
}

function listGroups(state: SearchRequest, facets: Facets): ShownGroup[] {
  return FILTER_GROUPS.flatMap((group) => {
    const values = listValues(group, state, facets)
    const players = group.facet === 'net' ? [playersGroup(state.first('players'))] : []
    return values.length === 0 ? players : [...players, valuesGroup(group, values)]
  })
}

function playersGroup(count: string): ShownGroup {
  return {
    id: 'group-players',
    legend: 'Players',
    picked: count === '' ? 0 : 1,
    children: (
      <input
        class="input"
        name="players"
        type="number"
        min={1}
        max={64}
        value={count}
        aria-label="Number of players"
        placeholder="Any number"
      />
    ),
  }
}

function ownGroup(state: SearchRequest): ShownGroup {
  const names = Object.keys(OWN_FILTERS) as (keyof typeof OWN_FILTERS)[]
  return {
    id: 'group-own',
    legend: 'Yours',
    picked: names.filter((name) => state.first(name) !== '').length,
    children: (
      <div class="values">
        {names.map((name) => (
          <div key={name} class="value">
            <label class="include">
              <input
                id={`own-${name}`}
                type="checkbox"
                name={name}
                value="true"
                checked={state.first(name) !== ''}
              />
              {OWN_FILTERS[name]}
            </label>
          </div>
        ))}
      </div>
    ),
  }
}

const isPicked = ({ isIncluded, isExcluded }: ShownValue) => isIncluded || isExcluded

function valuesGroup(group: FilterGroup, values: readonly ShownValue[]): ShownGroup {
  const id = `group-${group.facet}`
  const first = values.filter((value, index) => index < SHOWN_AT_ONCE || isPicked(value))
  const rest = values.filter((value) => !first.includes(value))
  return {
    id,
    legend: group.legend,
    picked: values.filter(isPicked).length,
    isSingle: group.isSingle,
    children: (
      <>
        <div class="values">
          {first.map((value) => (
            <Value key={value.value} group={group} value={value} />
          ))}
        </div>
        {rest.length === 0 ? null : (
          <details class="more" id={`${id}-more`}>
            <summary>
              Show more<span class="visually-hidden"> of {group.legend}</span>
            </summary>
            {values.length < SEARCHED_FROM ? null : (
              <input
                class="input small with-script"
                type="search"
                data-filters
                aria-label={`Find in ${group.legend}`}
                placeholder={`Find in ${group.legend.toLowerCase()}`}
              />
            )}
            <div class="values">
              {rest.map((value) => (
                <Value key={value.value} group={group} value={value} />
              ))}
            </div>
          </details>
        )}
      </>
    ),
  }
}

function Group({ id, legend, picked, isSingle, children, isOpen }: ShownGroup & { isOpen: boolean }) {
  return (
    <fieldset id={id} data-single={isSingle}>
      <legend class="visually-hidden">{legend}</legend>
      <details class="filter-group" id={`${id}-fold`} open={isOpen}>
        <summary>
          {legend}
          {picked === 0 ? null : (
            <span class="picked-count">
              {numberText(picked)}
              <span class="visually-hidden"> selected</span>
            </span>
          )}
        </summary>
        {children}
      </details>
    </fieldset>
  )
}

function Value({ group, value }: { group: FilterGroup; value: ShownValue }) {
  const id = `${group.facet}-${value.value}`
  return (
    <div class="value">
      {group.include === null ? (
        <span class="include">{value.label}</span>
      ) : (
        <label class="include">
          <input
            id={id}
            type="checkbox"
            name={group.include}
            value={value.value}
            checked={value.isIncluded}
          />
          {value.label}
        </label>
      )}
      <span class="count">{numberText(value.count)}</span>
      {group.exclude === undefined ? null : (
        <label class="exclude" title={`Exclude ${value.label}`}>
          <input
            id={`not-${id}`}
            type="checkbox"
            name={group.exclude}
            value={value.value}
            checked={value.isExcluded}
            aria-label={`Exclude ${value.label}`}
          />
        </label>
      )}
    </div>
  )
}
