/** What a page of the guide needs scripts for: the theme, copying, the search. All else is HTML. */
import 'virtual:interface-tokens.css'
import '../styles/guide.css'
import '../styles/layout.css'
import '../styles/search.css'
import { addCopyButtons } from './copy.ts'
import { startSearch } from './search.ts'
import { startThemeSelect } from './theme-select.ts'

startThemeSelect()
addCopyButtons()
startSearch()
