import type { EventQuotaState } from '../../../features/telemetry/quota/service.ts'
import { Notice } from '../../components/notice.tsx'
import { bytesText, countText, numberText } from '../../kit/labels.ts'

/** Shown on a day on which events or crash reports were refused. */
export function RefusedEvents({ quota }: { quota: EventQuotaState }) {
  const { limits, refusedOfGame, refusedOfNetworks } = quota
  if (refusedOfGame + refusedOfNetworks === 0) return null
  return (
    <Notice tone="warn">
      {countText(refusedOfGame + refusedOfNetworks, 'event or crash report', 'events and crash reports')} of
      today were refused.
      {refusedOfGame > 0
        ? ` ${numberText(refusedOfGame)} because a game may send ${numberText(limits.game.events)} events or ${bytesText(limits.game.bytes)} a day.`
        : ''}
      {refusedOfNetworks > 0
        ? ` ${numberText(refusedOfNetworks)} because one network may send ${numberText(limits.network.events)} events or ${bytesText(limits.network.bytes)} of them.`
        : ''}{' '}
      They are accepted again after midnight UTC.
    </Notice>
  )
}
