import type { ImageKind } from '../../../domain/listings/listing.ts'
import { BOXES, FILE_BYTES_MAX, GALLERY_MAX, type Image } from '../../../features/listings/images/model.ts'
import { pathOf } from '../../components/card.tsx'
import { PictureIcon } from '../../components/icons.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { FaultSummary, FieldGroup, FileField, PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { type Project, StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { Mover } from './mover.tsx'
import { VideosGroup } from './videos-group.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  uploaded: 'The picture is uploaded.',
  removed: 'The picture is deleted.',
  moved: 'The new order is saved.',
  'video-added': 'The video is added.',
  'video-removed': 'The video is deleted.',
  'poster-saved': 'The poster is saved.',
}

const FORMATS = `PNG, JPEG or WebP, up to ${FILE_BYTES_MAX / 2 ** 20} MB.`

export function MediaPage({ project, state }: { project: Project; state: PageState }) {
  const { visit } = state
  const { cover, thumbnail, uid } = project.listing
  return (
    <StudioPage
      {...{ visit, project }}
      tab="media"
      lead="Videos and pictures are checked when they arrive. Cover and thumbnail are cropped to 16:9; you choose where."
      notices={NOTICES}
      scripts={['studio', 'media']}
    >
      <FaultSummary form={faultsOf(state)} scope={state.refused?.name} />
      <div id="media" class="editor" data-media={uid}>
        <p role="status" class="notice" data-progress hidden />
        <p role="alert" class="notice bad" data-failed hidden />
        <div class="pair">
          <Single {...{ project, state }} kind="cover" title="Cover" image={cover}>
            At the top of the store page, on cards without a thumbnail, and in link previews.
          </Single>
          <Single {...{ project, state }} kind="thumbnail" title="Thumbnail" image={thumbnail}>
            On cards in lists. Without one the cover is shown.
          </Single>
        </div>
        <VideosGroup {...{ project, state }} />
        <Gallery project={project} form={formOf(state, 'gallery')} />
      </div>
    </StudioPage>
  )
}

/** Faults of an upload are shown at its only field, `file`; those about stored pictures stay as they are. */
function faultsOf({ refused }: PageState): FormState | undefined {
  const isPicture = refused !== undefined && ['cover', 'thumbnail', 'gallery'].includes(refused.name)
  return isPicture ? atFile(refused.form) : refused?.form
}

function atFile(form: FormState): FormState {
  return { ...form, faults: form.faults.map(({ message }) => ({ field: 'file', message })) }
}

interface SingleProps extends TabProps {
  kind: 'cover' | 'thumbnail'
  title: string
  image: Image | null
  children: string
}

function Single({ project, state, kind, title, image, children }: SingleProps) {
  const base = `/studio/${project.listing.vanity_name}/media`
  return (
    <FieldGroup id={kind} title={title} hint={children}>
      {image === null ? (
        <div class="cover no-cover">
          <PictureIcon />
        </div>
      ) : (
        <img
          class="cover"
          src={pathOf(image.url)}
          width={image.width}
          height={image.height}
          alt={`The ${kind}`}
        />
      )}
      <UploadForm
        kind={kind}
        action={`${base}/${kind}`}
        form={formOf(state, kind)}
        label={image === null ? `Choose a ${kind}` : `Replace the ${kind}`}
        hint={`${FORMATS} Shown as ${sizeOf(kind)}.`}
      />
      {image === null ? null : (
        <PostForm action={`${base}/images/${image.uid}/delete`} class="row">
          <Submit look="plain">Delete the {kind}</Submit>
        </PostForm>
      )}
    </FieldGroup>
  )
}

interface UploadFormProps {
  kind: 'cover' | 'thumbnail' | 'gallery'
  action: string
  form: FormState
  label: string
  hint: string
}

/** Without script one picture is sent with the button; with it several can be chosen or dropped. */
function UploadForm({ kind, action, form, label, hint }: UploadFormProps) {
  return (
    <form class="drop" method="post" action={action} encType="multipart/form-data" data-drop={kind}>
      <FileField
        {...{ form: atFile(form), scope: kind, name: 'file', label }}
        accept="image/png,image/jpeg,image/webp"
        hint={
          <>
            {hint}
            <span class="with-script">
              {' '}
              {kind === 'gallery' ? 'Choose several, or drop them here.' : 'Or drop one here.'}
            </span>
          </>
        }
      />
      <Submit look="second without-script">Upload</Submit>
    </form>
  )
}

function Gallery({ project, form }: { project: Project; form: FormState }) {
  const { gallery, vanity_name } = project.listing
  const base = `/studio/${vanity_name}/media`
  return (
    <FieldGroup
      id="gallery"
      title={`Gallery (${gallery.length} of ${GALLERY_MAX})`}
      hint="Screenshots in this order. Move them with the buttons, or drag them."
    >
      {gallery.length === 0 ? (
        <p class="quiet">No screenshots yet. Players like to see at least three.</p>
      ) : (
        <ol class="shots" data-sortable>
          {gallery.map((image, index) => (
            <li key={image.uid} data-uid={image.uid} draggable>
              <img
                src={pathOf(image.url)}
                width={image.width}
                height={image.height}
                alt={`Screenshot ${index + 1}`}
                loading="lazy"
                draggable={false}
              />
              <div class="row between">
                <PostForm action={`${base}/images/${image.uid}/move`} class="row">
                  <Mover
                    to={index - 1}
                    isLast={index === 0}
                    label={`Move screenshot ${index + 1} earlier`}
                    sign="←"
                  />
                  <Mover
                    to={index + 1}
                    isLast={index === gallery.length - 1}
                    label={`Move screenshot ${index + 1} later`}
                    sign="→"
                  />
                </PostForm>
                <PostForm action={`${base}/images/${image.uid}/delete`} class="row">
                  <button type="submit" class="button plain" aria-label={`Delete screenshot ${index + 1}`}>
                    Delete
                  </button>
                </PostForm>
              </div>
            </li>
          ))}
        </ol>
      )}
      {gallery.length >= GALLERY_MAX ? (
        <p class="quiet">The gallery is full. Delete a screenshot to add another.</p>
      ) : (
        <UploadForm
          kind="gallery"
          action={`${base}/gallery`}
          form={form}
          label="Add screenshots"
          hint={`${FORMATS} Scaled to fit in ${sizeOf('gallery')}.`}
        />
      )}
    </FieldGroup>
  )
}

function sizeOf(kind: ImageKind): string {
  const { width, height } = BOXES[kind]
  return `${width}×${height}`
}
