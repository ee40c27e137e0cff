import { resolve } from 'node:path'

import type { Image } from '../../features/listings/images/model.ts'
import { TOOL } from '../api/project.ts'
import { sendFile } from '../api/send-form.ts'
import { CliError } from '../cli-error.ts'
import { connect, type Context, type ServerFlags } from '../context.ts'

export interface ImagesOptions extends ServerFlags {
  cover?: string
  thumbnail?: string
  gallery?: string[]
}

export async function images(context: Context, options: ImagesOptions): Promise<void> {
  const { cover, thumbnail, gallery = [], ...flags } = options
  const { cwd, output } = context
  const wanted = [
    ...(cover === undefined ? [] : [{ kind: 'cover', path: cover }]),
    ...(thumbnail === undefined ? [] : [{ kind: 'thumbnail', path: thumbnail }]),
    ...gallery.map((path) => ({ kind: 'gallery', path })),
  ]
  if (wanted.length === 0) {
    throw new CliError('usage', 'No image was named.', { hint: 'Use --cover, --thumbnail or --gallery.' })
  }
  const { api } = await connect(context, flags)
  const stored: Image[] = []
  for (const { kind, path } of wanted) {
    const target = { path: `${TOOL}/images` }
    const image = await sendFile<Image>(api, output, target, resolve(cwd, path), { kind })
    output.result(`${image.kind}  ${image.url}`)
    stored.push(image)
  }
  output.json({ images: stored })
}
