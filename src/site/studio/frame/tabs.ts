export interface Tab {
  path: string
  label: string
  /** Only in a store that takes payments. */
  isOfSelling?: true
}

/** The tabs of a project, in groups. */
export const TAB_GROUPS: readonly { label: string; tabs: readonly Tab[] }[] = [
  {
    label: 'Listing',
    tabs: [
      { path: 'overview', label: 'Overview' },
      { path: 'page', label: 'Page' },
      { path: 'media', label: 'Media' },
      { path: 'press', label: 'Press' },
      { path: 'store-links', label: 'Store links' },
      { path: 'pricing', label: 'Pricing' },
      { path: 'keys', label: 'Keys' },
      { path: 'community-tags', label: 'Community tags' },
      { path: 'compatibility', label: 'Compatibility' },
    ],
  },
  {
    label: 'Releases',
    tabs: [
      { path: 'builds', label: 'Builds' },
      { path: 'channels', label: 'Channels' },
      { path: 'changelog', label: 'Changelog' },
    ],
  },
  {
    label: 'Insight',
    tabs: [
      { path: 'health', label: 'Health' },
      { path: 'crashes', label: 'Crashes' },
      { path: 'bugs', label: 'Bugs' },
      { path: 'downloads', label: 'Downloads' },
      { path: 'sales', label: 'Sales', isOfSelling: true },
    ],
  },
  {
    label: 'Access',
    tabs: [
      { path: 'team', label: 'Team' },
      { path: 'publishing', label: 'Pipelines' },
      { path: 'sign-in', label: 'Sign-in' },
    ],
  },
]

export function labelOf(path: string): string {
  const tabs = TAB_GROUPS.flatMap((group) => group.tabs)
  return tabs.find((tab) => tab.path === path)?.label ?? 'Studio'
}
