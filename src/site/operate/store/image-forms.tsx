import type { StoreImageName, StoreImages } from '../../../domain/store-settings.ts'
import { imagePath } from '../../../features/settings/storefront.ts'
import { FileField } from '../../kit/controls.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'

const ACCEPT = 'image/png,image/jpeg,image/webp'

const IMAGES: Readonly<Record<StoreImageName, readonly [label: string, hint: string]>> = {
  logo: ['Logo', 'Instead of icon and name in the header; fitted into 480 × 96 pixels.'],
  logo_dark: ['Logo for the dark theme', 'Without it the other one is shown in both themes.'],
  icon: ['Icon', 'A square for windows and home screens, made in all sizes.'],
  share_image: ['Share image', 'For link previews; cropped to 1200 × 630 pixels.'],
}

/** One form for each image: its file is sent at once. */
export function ImageForms({ state, images }: { state: PageState; images: StoreImages }) {
  return (
    <FieldGroup id="images" title="Logo and images" hint="PNG, JPEG or WebP of at most 4 MB.">
      <div class="settings-images">
        {(Object.keys(IMAGES) as StoreImageName[]).map((name) => (
          <ImageForm key={name} {...{ state, name, images }} />
        ))}
      </div>
    </FieldGroup>
  )
}

function ImageForm({ state, name, images }: { state: PageState; name: StoreImageName; images: StoreImages }) {
  const [label, hint] = IMAGES[name]
  const image = images[name]
  const path = imagePath(images, name)
  const action = `/operate/settings/images/${name}`
  return (
    <section class="settings-image" aria-labelledby={`image-${name}`}>
      <h3 id={`image-${name}`}>{label}</h3>
      {path === null || !image ? (
        <p class="quiet small">{hint}</p>
      ) : (
        <img
          class={`settings-picture ${name}`}
          src={path}
          width={image.width}
          height={image.height}
          alt={label}
        />
      )}
      <PostForm action={action} encType="multipart/form-data">
        <FileField
          {...{ form: formOf(state, name), name: 'file', scope: name, accept: ACCEPT }}
          label={path === null ? 'File' : 'Another file'}
        />
        <Submit look="second">
          Upload<span class="visually-hidden"> {label}</span>
        </Submit>
      </PostForm>
      {path === null ? null : (
        <PostForm action={`${action}/delete`} class="act">
          <Submit look="second">
            Back to the default<span class="visually-hidden"> of {label}</span>
          </Submit>
        </PostForm>
      )}
    </section>
  )
}
