-- Prints the definitions of Haskell files as GHC's own parser sees them: paths in, [path, line, end, kind, name] out.
-- A file with branches of `#if` is left out: GHC reads one of them. Compile with `ghc -package ghc definitions.hs`.
{-# LANGUAGE RankNTypes #-}

module Main (main) where

import Control.Monad (forM_)
import Control.Monad.IO.Class (liftIO)
import Data.Data (Data, gmapQ)
import Data.List (isPrefixOf)
import Data.Typeable (cast)
import GHC hiding (parseModule)
import GHC.Data.FastString (mkFastString)
import GHC.Data.StringBuffer (hGetStringBuffer)
import GHC.Driver.Session
import GHC.LanguageExtensions.Type
import GHC.Parser (parseModule)
import GHC.Parser.Header (getOptions)
import GHC.Parser.Lexer (ParseResult (..), mkPState, unP)
import GHC.Types.Name.Occurrence (occNameString)
import GHC.Types.Name.Reader (RdrName, rdrNameOcc)
import GHC.Types.SrcLoc
import System.Environment (getArgs)

type Row = (SrcSpan, String, RdrName)

-- What packages commonly turn on for all their files.
usual :: [Extension]
usual =
  [ BangPatterns, DataKinds, DefaultSignatures, DeriveAnyClass, DeriveGeneric, DerivingStrategies, DerivingVia
  , ExistentialQuantification, FlexibleContexts, FlexibleInstances, FunctionalDependencies, GADTs
  , GeneralizedNewtypeDeriving, KindSignatures, LambdaCase, MultiParamTypeClasses, MultiWayIf, RecordPuns
  , NumericUnderscores, OverloadedStrings, PatternSynonyms, PolyKinds, RankNTypes, RecordWildCards, ScopedTypeVariables
  , StandaloneDeriving, StandaloneKindSignatures, TupleSections, TypeApplications, TypeFamilies, TypeOperators
  , ViewPatterns ]

main :: IO ()
main = do
  [libdir] <- getArgs
  paths <- lines <$> getContents
  runGhc (Just libdir) $ do
    plain <- getSessionDynFlags
    forM_ paths $ \path -> do
      text <- liftIO $ readFile path
      buffer <- liftIO $ hGetStringBuffer path
      let start = foldl xopt_set plain usual
          options = getOptions start buffer path
      (flags, _, _) <- parseDynamicFilePragma start options
      let begin = mkRealSrcLoc (mkFastString path) 1 1
          branches = any (isPrefixOf "#if") (lines text)
      liftIO $ case unP parseModule (mkPState flags buffer begin) of
        POk _ parsed | not branches -> mapM_ (putStrLn . shown path) (ofModule (unLoc parsed))
        _ -> putStrLn ("{\"bad\": " ++ show path ++ "}")

shown :: FilePath -> Row -> String
shown path (place, kind, name) =
  case place of
    RealSrcSpan span' _ ->
      concat
        [ "[", show path, ", ", show (srcSpanStartLine span'), ", ", show (ended span'), ", \"", kind, "\", "
        , quoted (occNameString (rdrNameOcc name)), "]" ]
    UnhelpfulSpan _ -> "[]"
  where
    ended span' = srcSpanEndLine span' - (if srcSpanEndCol span' == 1 then 1 else 0)
    quoted text = '"' : concatMap escaped text ++ "\""
    escaped char = if char `elem` "\"\\" then ['\\', char] else [char]

ofModule :: HsModule -> [Row]
ofModule parsed = concatMap ofDeclaration (hsmodDecls parsed)

ofDeclaration :: LHsDecl GhcPs -> [Row]
ofDeclaration (L place declaration) = case declaration of
  TyClD _ one -> ofType place one
  ValD _ bind -> ofBind True (L place bind) ++ locals bind
  SigD _ signature -> ofSignature place signature
  ForD _ ForeignImport {fd_name = name} -> [(place, "function", unLoc name)]
  InstD _ (ClsInstD _ inside) -> ofBinds (cid_binds inside)
  InstD _ (DataFamInstD _ inside) -> ofConstructors (feqn_rhs (hsib_body (dfid_eqn inside)))
  _ -> []

ofType :: SrcSpan -> TyClDecl GhcPs -> [Row]
ofType place one = case one of
  FamDecl _ family -> [(place, "type", unLoc (fdLName family))]
  SynDecl {tcdLName = name} -> [(place, "type", unLoc name)]
  DataDecl {tcdLName = name, tcdDataDefn = body} -> (place, "type", unLoc name) : ofConstructors body
  ClassDecl {tcdLName = name, tcdSigs = signatures, tcdMeths = binds, tcdATs = families} ->
    (place, "type", unLoc name)
      : concat [ofSignature at signature | L at signature <- signatures]
      ++ [(at, "type", unLoc (fdLName family)) | L at family <- families]
      ++ ofBinds binds

ofBinds :: LHsBinds GhcPs -> [Row]
ofBinds binds = concat [ofBind True bind ++ locals (unLoc bind) | bind <- foldr (:) [] binds]

-- A definition in a function counts when it has parameters.
ofBind :: Bool -> LHsBind GhcPs -> [Row]
ofBind outermost (L place bind) = case bind of
  FunBind {fun_id = name, fun_matches = matches}
    | outermost || any (not . null . m_pats . unLoc) (unLoc (mg_alts matches)) -> [(place, "function", unLoc name)]
  PatSynBind _ synonym -> [(place, "value", unLoc (psb_id synonym))]
  _ -> []

locals :: Data a => a -> [Row]
locals = concat . gmapQ inside
  where
    inside :: Data d => d -> [Row]
    inside part = maybe (locals part) nested (cast part)
    nested :: LHsBind GhcPs -> [Row]
    nested bind = ofBind False bind ++ locals (unLoc bind)

ofSignature :: SrcSpan -> Sig GhcPs -> [Row]
ofSignature place signature = case signature of
  TypeSig _ names _ -> [(place, "function", unLoc name) | name <- names]
  ClassOpSig _ False names _ -> [(place, "function", unLoc name) | name <- names]
  PatSynSig _ names _ -> [(place, "value", unLoc name) | name <- names]
  _ -> []

ofConstructors :: HsDataDefn GhcPs -> [Row]
ofConstructors body = concat [ofConstructor place one | L place one <- dd_cons body]

ofConstructor :: SrcSpan -> ConDecl GhcPs -> [Row]
ofConstructor place one = case one of
  ConDeclH98 {con_name = name, con_args = arguments} -> (place, "value", unLoc name) : ofFields arguments
  ConDeclGADT {con_names = names, con_args = arguments} ->
    [(place, "value", unLoc name) | name <- names] ++ ofFields arguments
  _ -> []

ofFields :: HsConDeclDetails GhcPs -> [Row]
ofFields (RecCon (L _ fields)) =
  [(place, "value", unLoc (rdrNameFieldOcc (unLoc name))) | L place field <- fields, name <- cd_fld_names field]
ofFields _ = []
