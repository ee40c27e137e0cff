import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { NAME_MAX, showName } from '../../../lib/names.ts'

interface ScannedFile extends Recipient {
  title: string
  filename: string
  version: string
  os: string
  arch: string
}

export function infectedMail(file: ScannedFile, detail: string): MailMessage {
  return composeMail(file, `The virus scan found something in ${file.filename}`, [
    `the virus scan of ${describe(file)} found:\n${detail}`,
    'The file was removed; nobody could download it. What players had before stays as it is.',
    'Check the machine the build was made on, build anew and upload again. If this is a false alarm, ask whoever runs this service.',
  ])
}

export function refusedMail(file: ScannedFile, detail: string): MailMessage {
  return composeMail(file, `${file.filename} could not be taken`, [
    `the scan of ${describe(file)} ended without a result:\n${detail}`,
    'The file was removed; nobody could download it. What players had before stays as it is.',
    'Put this right and upload again.',
  ])
}

function describe({ filename, title, version, os, arch }: ScannedFile): string {
  return `${filename} (${showName(title, NAME_MAX)} ${showName(version, NAME_MAX)}, ${os} ${arch})`
}
