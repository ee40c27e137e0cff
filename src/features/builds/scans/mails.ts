import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { NAME_MAX, showName } from '../../../lib/text/names.ts'

interface ScannedFile extends Recipient {
  title: string
  filename: string
  version: string
  os: string
  arch: string
}

export function infectedMail(file: ScannedFile, detail: string): MailMessage {
  return composeMail(file, `Scan: threat found in ${file.filename}`, [
    `The scan of ${describe(file)} found:\n${detail}`,
    'The file was deleted and nobody could download it. Players still get the build they had before.',
    'Check the machine that made the build, then build and upload again. If you think this is a false alarm, contact the operator of this Playshelf.',
  ])
}

export function refusedMail(file: ScannedFile, detail: string): MailMessage {
  return composeMail(file, `Scan: ${file.filename} was rejected`, [
    `The scan of ${describe(file)} could not be completed:\n${detail}`,
    'The file was deleted and nobody could download it. Players still get the build they had before.',
    'Fix the problem and upload again.',
  ])
}

function describe({ filename, title, version, os, arch }: ScannedFile): string {
  return `${filename} (${showName(title, NAME_MAX)} ${showName(version, NAME_MAX)}, ${os} ${arch})`
}
