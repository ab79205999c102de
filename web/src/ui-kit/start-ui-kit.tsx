import { renderPart } from './render-part.tsx'
import { UiKitPage } from './ui-kit-page.tsx'
import '../styles.css'

const root = document.getElementById('root')
if (root) renderPart(root, UiKitPage, {})
