import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { subsetFonts } from '../web/subset-fonts.ts'
import { interfaceTokens } from './interface-tokens.ts'
import { BASE, readGuidePages } from './src/guide-pages.ts'
import { groupPages, labelOf } from './src/guide-sidebar.ts'
import { plainFiles } from './src/plain-files.ts'

export default defineConfig({
  base: BASE,
  outDir: '../dist/guide',
  trailingSlash: 'always',
  // Screenshots are served as they are, so that no image library is needed.
  image: { service: passthroughImageService() },
  // The content security policy of the server allows no other origin, and no prefetching.
  prefetch: false,
  integrations: [
    plainFiles(),
    starlight({
      title: 'Touchstone',
      credits: false,
      sidebar: groupPages(readGuidePages()).map(({ label, pages }) => ({
        label,
        items: pages.map((page) => ({ slug: page.id, label: labelOf(page) })),
      })),
      customCss: ['virtual:interface-tokens.css', './src/styles/guide.css'],
      components: {
        PageTitle: './src/components/page-title.astro',
        SiteTitle: './src/components/site-title.astro',
        SocialIcons: './src/components/header-links.astro',
        ThemeProvider: './src/components/theme-provider.astro',
        ThemeSelect: './src/components/theme-select.astro',
      },
      expressiveCode: {
        defaultProps: { frame: 'none', wrap: false },
        styleOverrides: {
          borderRadius: 'var(--radius-card)',
          borderColor: 'var(--color-line)',
          codeBackground: 'var(--color-surface)',
          codeFontSize: '0.8125rem',
          frames: { shadowColor: 'transparent' },
        },
      },
      // The documents are outside of the folder of the site.
      markdown: { processedDirs: ['..'] },
    }),
  ],
  vite: { plugins: [interfaceTokens(), subsetFonts()], build: { assetsInlineLimit: 0 } },
})
