import { t } from 'elysia'

import { DEVICE_MAX, SAVE_NOTE_MAX, SLOT_NAME_MAX } from '../../../domain/saves.ts'
import { Integer, Moment, Strict, Uid } from '../../../http/input/schema.ts'

const Sha256 = t.String({ description: 'Of the bytes, in hex.', examples: ['9f86d081884c7d65…'] })

export const WrittenSave = t.Object({ revision: Uid, size: Integer({ minimum: 0 }), sha256: Sha256 })
export type WrittenSave = typeof WrittenSave.static

const written = {
  ...WrittenSave.properties,
  device: t.Nullable(
    t.String({ description: `At most ${DEVICE_MAX} characters.`, examples: ['Steam Deck'] }),
  ),
  note: t.Nullable(t.String({ description: `At most ${SAVE_NOTE_MAX} characters.` })),
  play_minutes: Integer({ minimum: 0, description: 'How long the player had played by then.' }),
  at: Moment,
}

export const SaveSlot = t.Object({
  slot: t.String({ description: `1 to ${SLOT_NAME_MAX} characters, as a file's name.`, examples: ['main'] }),
  ...written,
  deleted_at: t.Nullable(t.String({ description: 'When it was put into the bin; null elsewhere.' })),
})
export type SaveSlot = typeof SaveSlot.static

export const SaveQuota = t.Object({
  used: Integer({ minimum: 0, description: 'Bytes; the same bytes count once.' }),
  limit: Integer({ minimum: 0 }),
})
export type SaveQuota = typeof SaveQuota.static

export const SaveList = t.Object({ slots: t.Array(SaveSlot), quota: SaveQuota }, { $id: 'SaveList' })
export type SaveList = typeof SaveList.static

export const SaveRevision = t.Object({
  ...written,
  refused: t.Boolean({ description: 'Kept because another write was faster; it never was current.' }),
  current: t.Boolean(),
})
export type SaveRevision = typeof SaveRevision.static

export const ListQuery = t.Object({
  bin: t.Optional(t.String({ description: '`1`: the slots in the bin.', examples: ['1'] })),
})

export const ReadQuery = t.Object({
  revision: t.Optional(t.String({ description: 'Any revision of the slot; the current one by default.' })),
})

export const DeleteQuery = t.Object({
  bin: t.Optional(t.String({ description: '`1`: deletes a slot in the bin for good.' })),
  revision: t.Optional(
    t.String({ description: 'Deletes only this revision, for good. It must not be the current one.' }),
  ),
})

export const RestoreInput = Strict({
  revision: t.Optional(t.String({ description: 'May be left out for a slot in the bin.' })),
})
