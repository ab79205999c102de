import { startApp } from './start-app.tsx'
import './styles.css'

const root = document.getElementById('root')
if (root) startApp(root)
