/** Drawn for this site on a 24 × 24 grid, in the lines of `.icon`; the words beside an icon carry its meaning. */
const line = (d: string) => () => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={d} />
  </svg>
)

export const SearchIcon = line('M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5')
export const BellIcon = line('M6 16.500V11a6 6 0 1 1 12 0v5.500l1.500 2h-15l1.500-2ZM10 21.500h4')
export const CheckIcon = line('m5 12.5 4.5 4.5L19 7.5')
export const CrossIcon = line('M6 6l12 12M18 6 6 18')
export const FilterIcon = line('M4 7h10m4 0h2M4 17h2m4 0h10M16 4.500v5M8 14.500v5')
export const WarningIcon = line('M12 4 2.5 20h19L12 4Zm0 6v4.5m0 2.5v.2')
export const QuestionIcon = line(
  'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-2.5 6.8a2.6 2.6 0 1 1 3.7 2.4c-.8.4-1.2.9-1.2 1.8m0 2.9v.1',
)
export const ClockIcon = line('M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 4v5.2l3.3 2')
export const DownloadIcon = line('M12 4v11m0 0 4.5-4.5M12 15l-4.5-4.5M5 20h14')
export const PlayIcon = line('M7 4.500v15l12-7.500-12-7.500Z')
export const ExpandIcon = line('M9 4H4v5M15 4h5v5M9 20H4v-5m11 5h5v-5')
export const AgainIcon = line('M19.500 12a7.500 7.500 0 1 1-2.200-5.300L20 9.400M20 4.500v4.900h-4.900')
export const StarIcon = line(
  'm12 3.5 2.6 5.4 5.9.8-4.3 4.1 1 5.9L12 16.9l-5.2 2.8 1-5.9L3.5 9.7l5.9-.8L12 3.5Z',
)
export const HeartIcon = line(
  'M12 20s-8-4.700-8-10.500A4.500 4.500 0 0 1 12 6.700a4.500 4.500 0 0 1 8 2.800C20 15.300 12 20 12 20Z',
)
export const PlayersIcon = line(
  'M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7ZM2.500 20a6.500 6.500 0 0 1 13 0M16 5.500a3.500 3.500 0 0 1 0 6M18.500 14.500a6.500 6.500 0 0 1 3 5.500',
)
export const InputsIcon = line(
  'M8 8h8a5.500 5.500 0 0 1 5 8c-1 2-3 1.500-4-.500L16 14H8l-1 1.500c-1 2-3 2.500-4 .500a5.500 5.500 0 0 1 5-8Zm0 2v2m-1-1h2m6.500 0v.100',
)
export const LanguagesIcon = line(
  'M4 6h9M8.500 4v2c0 4-2 6.500-4.500 8M5.500 9c1 2.500 3.500 4.500 6 5M11.500 20 16 10l4.500 10m-7.700-3h6.400',
)
export const PictureIcon = line('M4 5h16v14H4V5Zm0 11 5-5 4 4 2.5-2.5L20 17M15 9.5v.1')

/** Books on a shelf, one of them leaning. */
export function BrandIcon() {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <rect x="3" y="5" width="4" height="13" rx="1" />
      <rect x="8.5" y="3" width="4" height="15" rx="1" opacity="0.75" />
      <path
        d="m14.2 6.2 3-.9a1 1 0 0 1 1.2.7l3.1 10.6a1 1 0 0 1-.6 1.2l-2.6.8a1 1 0 0 1-1.3-.7L13.6 7.4a1 1 0 0 1 .6-1.2Z"
        opacity="0.55"
      />
      <rect x="2" y="19.5" width="20" height="2" rx="1" />
    </svg>
  )
}

export const SYSTEM_ICONS = {
  windows: line(
    'M4 6.2 11 5v6.5H4V6.2ZM13 4.7 20 3.5v8h-7V4.7ZM4 13.5h7V20l-7-1.2v-5.3Zm9 0h7v7L13 19.3v-5.8Z',
  ),
  macos: line('M4 5h16v11H4V5Zm5 15h6m-3-4v4M9 9v1.5m6-1.5v1.5M9 13c2 1 4 1 6 0'),
  linux: line('M9 7a3 3 0 0 1 6 0v4l3 5-2.5 3.5H14l-2-1-2 1H8.5L6 16l3-5V7Zm1.8 1.2v.1m2.4-.1v.1'),
  android: line('M5 17a7 7 0 0 1 14 0H5Zm2.5-9L9 10.5M16.500 8 15 10.500M9.500 13.800v.1m5-.1v.1'),
  ios: line('M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1Zm3 15h2'),
  web: line('M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-8.500 9h17M12 3c5 5 5 13 0 18-5-5-5-13 0-18Z'),
} as const
