/** Sends a video with its progress; without script the form is sent as it is. Returns why it failed, or null. */
export async function sendVideo(form: HTMLFormElement, api: string): Promise<string | null> {
  const body = new FormData(form)
  // Browsers send an empty file for a field in which none was chosen.
  const poster = body.get('poster')
  if (poster instanceof File && poster.size === 0) body.delete('poster')
  const progress = form.querySelector<HTMLProgressElement>('[data-video-progress]')
  const stop = form.querySelector<HTMLButtonElement>('[data-video-stop]')
  const request = new XMLHttpRequest()
  const onStop = () => request.abort()
  stop?.addEventListener('click', onStop)
  setBusy(form, true)
  try {
    return await new Promise<string | null>((resolve) => {
      request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
        if (progress && lengthComputable) progress.value = loaded / total
      })
      request.addEventListener('load', () => resolve(request.status === 201 ? null : reasonOf(request)))
      request.addEventListener('abort', () => resolve('The upload was stopped.'))
      request.addEventListener('error', () =>
        resolve('The video could not be sent. Check your connection and try again.'),
      )
      request.open('POST', api)
      request.send(body)
    })
  } finally {
    stop?.removeEventListener('click', onStop)
    if (progress) progress.value = 0
    setBusy(form, false)
  }
}

function setBusy(form: HTMLFormElement, isBusy: boolean): void {
  for (const shown of form.querySelectorAll<HTMLElement>('[data-video-progress], [data-video-stop]')) {
    shown.hidden = !isBusy
  }
  const submit = form.querySelector<HTMLButtonElement>('button[type="submit"], button:not([type])')
  if (submit) submit.disabled = isBusy
}

function reasonOf({ responseText }: XMLHttpRequest): string {
  try {
    return (JSON.parse(responseText) as { error: { message: string } }).error.message
  } catch {
    return 'The video could not be stored. Try again.'
  }
}
