import type { Facets } from '../../features/catalog/search/model.ts'
import type { SearchRequest } from '../../features/catalog/search/request.ts'
import { MinusIcon } from '../components/icons.tsx'
import { Submit } from '../kit/form.tsx'
import { numberText } from '../kit/labels.ts'
import { FILTER_GROUPS, type FilterGroup, listUnshown, listValues, type ShownValue } from './filters.ts'

/** Longer groups hide the rest behind "Show more". */
const SHOWN_AT_ONCE = 8
/** Groups with at least this many values have a search box. */
const SEARCHED_FROM = 16

/** A plain GET form that sends the API's own query parameters. */
export function FilterForm({
  state,
  facets,
  active,
}: {
  state: SearchRequest
  facets: Facets
  active: number
}) {
  return (
    <details class="filters" id="filters">
      <summary>Filters{active === 0 ? '' : ` (${active})`}</summary>
      <form action="/search" method="get" aria-label="Filters" id="filter-form">
        {listUnshown(state).map(([name, value]) => (
          <input key={name + value} type="hidden" name={name} value={value} />
        ))}
        {FILTER_GROUPS.flatMap((group) => [
          group.facet === 'net' ? <Players key="players" count={state.first('players')} /> : null,
          <Group key={group.legend} group={group} values={listValues(group, state, facets)} />,
        ])}
        <div class="apply without-script">
          <Submit>Apply filters</Submit>
          <a class="button plain" href="/search">
            Reset
          </a>
        </div>
      </form>
    </details>
  )
}

function Players({ count }: { count: string }) {
  return (
    <fieldset>
      <legend>Players</legend>
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
    </fieldset>
  )
}

function Group({ group, values }: { group: FilterGroup; values: readonly ShownValue[] }) {
  if (values.length === 0) return null
  const id = `group-${group.facet}`
  const isPicked = ({ isIncluded, isExcluded }: ShownValue) => isIncluded || isExcluded
  const first = values.filter((value, index) => index < SHOWN_AT_ONCE || isPicked(value))
  const rest = values.filter((value) => !first.includes(value))
  return (
    <fieldset id={id} data-single={group.isSingle}>
      <legend>{group.legend}</legend>
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
    </fieldset>
  )
}

function Value({ group, value }: { group: FilterGroup; value: ShownValue }) {
  const id = `${group.facet}-${value.value}`
  return (
    <div class="value" id={`value-${id}`}>
      {group.include === null ? (
        <span class="include">{value.label}</span>
      ) : (
        <label class="include" for={id}>
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
          <MinusIcon />
        </label>
      )}
    </div>
  )
}
